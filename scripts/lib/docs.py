#!/usr/bin/env python3
"""Builds the site of the documentation with Doxygen: the pages of docs/ and every public header of the harness.

Usage: docs.py OUT [--doxygen PROGRAM] [--gaps]

Fails on every warning (markup that does not parse, a reference to what is not there, a file without a line on top), but for
declarations that nothing is said of: those are counted by room and may only become fewer (scripts/lib/docs-gaps.txt, which
--gaps writes anew). Ends with 77 where Doxygen is not installed.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / "scripts/lib/docs-gaps.txt"
GAP = re.compile(r"harness/(\w+)/\S+?:\d+: (?:warning: |error: )?(?:Member|Compound) .* is not documented\.$")

# The table of faults is full of shell, in which Doxygen finds commands of its own. Its form has a test (docs.faults).
COMMANDS = re.compile(r"docs/faults\.md:\d+: warning: (?:Found unknown command|Unsupported xml/html tag|expected whitespace)")


def kept_gaps():
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    return {room: int(count) for room, count in (line.split() for line in lines if line and not line.startswith("#"))}


def headers_without_a_line():
    """Headers that do not begin with what they are for."""
    files = sorted((ROOT / "harness").rglob("*.hpp"))
    return [path.relative_to(ROOT) for path in files if not path.read_text(encoding="utf-8").startswith("// ")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--doxygen", default="doxygen")
    parser.add_argument("--gaps", action="store_true")
    arguments = parser.parse_args()
    if shutil.which(arguments.doxygen) is None:
        print("Doxygen is not installed: scripts/setup --for all installs it.")
        return 77
    version = re.search(r"^project\(gpugauge VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    shutil.rmtree(arguments.out, ignore_errors=True)
    arguments.out.mkdir(parents=True)
    answer = subprocess.run([arguments.doxygen, str(ROOT / "docs/Doxyfile")], capture_output=True, text=True, cwd=ROOT,
                            env={**os.environ, "OUT": str(arguments.out), "ROOT": str(ROOT), "VERSION": version})
    gaps = collections.Counter()
    findings = [f"{path}: its first line does not say what it is for" for path in headers_without_a_line()]
    for line in sorted(set(answer.stderr.splitlines())):
        match = GAP.search(line)
        if match:
            gaps[match.group(1)] += 1
        elif COMMANDS.search(line):
            continue
        elif line.strip():
            findings.append(line.removeprefix(f"{ROOT}/"))
    if answer.returncode != 0:
        findings.append(f"Doxygen ended with {answer.returncode}")
    if not (arguments.out / "html/index.html").exists():
        findings.append("Doxygen wrote no site")
    if arguments.gaps:
        rows = "".join(f"{room} {count}\n" for room, count in sorted(gaps.items()))
        KEPT.write_text("# Declarations of each room that nothing is said of; a number may only fall (scripts/lib/docs.py --gaps).\n" + rows)
    for room, most in sorted({**dict.fromkeys(gaps, 0), **kept_gaps()}.items()):
        if gaps[room] > most:
            findings.append(f"harness/{room}: {gaps[room]} declarations without documentation; {most} are kept in {KEPT.name}")
        elif gaps[room] < most:
            print(f"harness/{room}: {gaps[room]} of {most} gaps are left; scripts/lib/docs.py --gaps keeps the smaller number")
    for finding in findings:
        print(finding)
    pages = len(list((arguments.out / "html").glob("*.html")))
    print(f"{pages} pages in {arguments.out}/html; {sum(gaps.values())} declarations without documentation; {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
