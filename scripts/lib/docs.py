#!/usr/bin/env python3
"""Builds the site of the documentation with Doxygen: the pages of docs/ and the headers of the harness, of the kernels and of
bench/support.

Usage: docs.py OUT [--doxygen PROGRAM]

Fails on every warning: markup that does not parse, a reference to what is not there, a declaration that nothing is said of; and
on a header without a line on top. Ends with 77 where Doxygen is not installed.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ("harness", "kernels", "bench/support")
GAP = re.compile(r": (?:warning: |error: )?(?:Member|Compound) .* is not documented\.$")

# The table of faults is full of shell, in which Doxygen finds commands of its own. Its form has a test (docs.faults).
COMMANDS = re.compile(r"docs/faults\.md:\d+: warning: (?:Found unknown command|Unsupported xml/html tag|expected whitespace|"
                      r"end of comment block while expecting command </em>)")


def headers_without_a_line():
    """Headers that do not begin with what they are for."""
    files = sorted(path for top in HEADERS for path in (ROOT / top).rglob("*.hpp"))
    return [path.relative_to(ROOT) for path in files if not path.read_text(encoding="utf-8").startswith("// ")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--doxygen", default="doxygen")
    arguments = parser.parse_args()
    if shutil.which(arguments.doxygen) is None:
        print("Doxygen is not installed: scripts/setup --for test installs it.")
        return 77
    version = re.search(r"^project\(gpugauge VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    shutil.rmtree(arguments.out, ignore_errors=True)
    arguments.out.mkdir(parents=True)
    answer = subprocess.run([arguments.doxygen, str(ROOT / "docs/Doxyfile")], capture_output=True, text=True, cwd=ROOT,
                            env={**os.environ, "OUT": str(arguments.out), "ROOT": str(ROOT), "VERSION": version})
    gaps = 0
    findings = [f"{path}: its first line does not say what it is for" for path in headers_without_a_line()]
    for line in sorted(set(answer.stderr.splitlines())):
        if not line.strip() or COMMANDS.search(line):
            continue
        gaps += bool(GAP.search(line))
        findings.append(line.removeprefix(f"{ROOT}/"))
    if answer.returncode != 0:
        findings.append(f"Doxygen ended with {answer.returncode}")
    if not (arguments.out / "html/index.html").exists():
        findings.append("Doxygen wrote no site")
    for finding in findings:
        print(finding)
    pages = len(list((arguments.out / "html").glob("*.html")))
    print(f"{pages} pages in {arguments.out}/html; {gaps} declarations without documentation; {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
