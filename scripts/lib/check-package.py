#!/usr/bin/env python3
"""Checks an installed tree that is to become a package: what its executables need of a machine, and what they carry.

Usage: check-package.py TREE --glibc 2.34 --glibcxx 3.4.30 [--builder PATH]... [--cuobjdump PROGRAM --architectures "sm_80 sm_90a"]

The harness (bin/) may need the C library alone; families (libexec/gpugauge) and what they carry (lib/gpugauge) also libstdc++,
each other, and the CUDA libraries that they measure. Nobody may need a symbol newer than the stated versions, look for libraries
in other places than the package's own and the toolkit's usual ones, or hold a path of the machine where it was built.
Every family with GPU code must hold machine code for exactly these architectures, as cuobjdump lists it: where there is such a
family, cuobjdump must be named, and must answer.
Prints one line a finding, then a count; ends with 1 if there is one.
"""
import argparse
import pathlib
import re
import subprocess
import sys

SYSTEM = re.compile(r"^(libc|libm|libdl|librt|libpthread)\.so\.[0-9]+$|^ld-linux-[a-z0-9-]+\.so\.[0-9]+$")
CPLUSPLUS = re.compile(r"^(libstdc\+\+|libgcc_s)\.so\.[0-9]+$")
MEASURED = re.compile(r"^lib(cublas|cublasLt|cufft|cudnn|nccl)\.so\.[0-9]+$")
SEARCH = re.compile(r"^\$ORIGIN/\.\./\.\./lib/gpugauge$|^/usr/local/cuda(-[0-9]+)?/(lib64|extras/CUPTI/lib64)$")
VERSION = re.compile(r"\((GLIBC|GLIBCXX|CXXABI)_([0-9.]+)\)|\b(GLIBC|GLIBCXX|CXXABI)_([0-9.]+)\b")


def number(version):
    return tuple(int(part) for part in version.split("."))


def newest(objdump_text):
    """{"GLIBC": "2.34", ...}: the newest version of each that `objdump -T` shows as needed."""
    found = {}
    for line in objdump_text.splitlines():
        if "*UND*" not in line:
            continue
        for one, version, other, also in VERSION.findall(line):
            name, text = one or other, version or also
            if name not in found or number(text) > number(found[name]):
                found[name] = text
    return found


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needs_problems(path, role, carried):
    """Yields sentences about the libraries and search paths of one executable; role is harness or family."""
    text = output("readelf", "-dW", str(path))
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
        allowed = SYSTEM.match(name) or (role == "family" and (CPLUSPLUS.match(name) or MEASURED.match(name) or name in carried))
        if not allowed:
            yield f"needs {name}"
    for path in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", text):
        for folder in path.split(":"):
            if role == "harness" or not SEARCH.match(folder):
                yield f"looks for libraries in {folder or 'the working folder (an empty entry)'}"


def has_gpu_code(path):
    """Whether it has the section in which nvcc puts code for GPUs."""
    return re.search(r"\s\.nv_fatbin\s", output("readelf", "-SW", str(path))) is not None


def code_problems(path, cuobjdump, architectures):
    """Yields a sentence where the machine code of a file that has GPU code is not that of the architectures asked for, all of them,
    or where that cannot be told."""
    if not cuobjdump:
        yield "holds GPU code, and without --cuobjdump nobody knows for which architectures"
        return
    try:
        answer = subprocess.run([cuobjdump, "--list-elf", str(path)], capture_output=True, text=True)
    except OSError as error:
        yield f"holds GPU code, and {cuobjdump} cannot be run: {error.strerror}"
        return
    found = set(re.findall(r"\.(sm_[0-9]+[a-z]?)\.cubin", answer.stdout))
    if answer.returncode != 0:
        said = " ".join(answer.stderr.split())[:200]
        yield f"holds GPU code, and {cuobjdump} ended with {answer.returncode}{': ' + said if said else ''}"
    elif found != architectures:
        yield f"holds machine code for {' '.join(sorted(found)) or 'no architecture'}, not {' '.join(sorted(architectures))}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--glibc", required=True)
    parser.add_argument("--glibcxx", required=True)
    parser.add_argument("--builder", action="append", default=[])
    parser.add_argument("--cuobjdump")
    parser.add_argument("--architectures", default="")
    arguments = parser.parse_args()
    tree = arguments.tree
    carried = {path.name for path in (tree / "lib/gpugauge").glob("*.so*")}
    executables = [path for folder in ("bin", "libexec", "lib") for path in sorted((tree / folder).rglob("*"))
                   if path.is_file() and not path.is_symlink() and is_elf(path)]
    findings = []
    floor = {"GLIBC": "2.2.5", "GLIBCXX": "3.4", "CXXABI": "1.3"}
    with_code = 0
    for path in executables:
        role = "harness" if path.is_relative_to(tree / "bin") else "family"
        say = lambda sentence: findings.append(f"{path.relative_to(tree)} {sentence}")
        versions = newest(output("objdump", "-T", str(path)))
        for name, most in (("GLIBC", arguments.glibc), ("GLIBCXX", arguments.glibcxx)):
            if name in versions and number(versions[name]) > number(most):
                say(f"needs {name}_{versions[name]}; {most} is stated")
            if name in versions and number(versions[name]) > number(floor[name]):
                floor[name] = versions[name]
        for sentence in needs_problems(path, role, carried):
            say(sentence)
        content = path.read_bytes()
        for builder in arguments.builder:
            if builder.encode() in content:
                say(f"holds the path {builder} of the machine where it was built")
        if role == "family" and has_gpu_code(path):
            with_code += 1
            for sentence in code_problems(path, arguments.cuobjdump, set(arguments.architectures.split())):
                say(sentence)
    if not any(path.is_relative_to(tree / "bin") for path in executables):
        findings.append("bin holds no executable")
    for finding in findings:
        print(finding)
    print(f"{len(executables)} executables and libraries; newest needed: glibc {floor['GLIBC']}, GLIBCXX {floor['GLIBCXX']}; "
          f"{with_code} with GPU code; {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
