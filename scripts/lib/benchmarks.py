#!/usr/bin/env python3
"""Writes docs/benchmarks.md from what the families say about themselves (--gpugauge_describe).

Usage: benchmarks.py BUILD            says whether docs/benchmarks.md is what the families of this build describe
       benchmarks.py BUILD --write    writes it

BUILD is a build folder with every family (build/ci). A family that this build lacks keeps its section, and is named.
Ends with 0, with 1 when the file is stale (every stale section is named), with 2 when it cannot tell.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import whole

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
COMMAND = "python3 scripts/lib/benchmarks.py build/ci --write"
DEPTHS = ["smoke", "quick", "standard", "deep", "exhaustive"]
FORMULAS = {
    "latency": "seconds / operations",
    "bandwidth": "declared bytes / seconds",
    "throughput": "declared floating-point operations / seconds",
    "rate": "declared items / seconds",
}
HEAD = """# Benchmarks

Written by `{command}` from the definitions in [bench](../bench); a test says when it is stale. How the numbers are
measured, which statistics there are and what a profile is: [measuring](measuring.md). An id is `family/op`, then the variant and the value of
each axis. A benchmark belongs to the profile named and to every deeper one ({depths}).

| class | what it stresses |
|---|---|
{classes}

| quantity | formula | unit | better |
|---|---|---|---|
| latency | {latency} | second | lower |
| bandwidth | {bandwidth} | byte/second | higher |
| throughput | {throughput} | flop/second | higher |
| rate | {rate} | operation/second | higher |
"""


class Failure(Exception):
    """One sentence why this cannot be told."""


def classes():
    text = (ROOT / "harness" / "result" / "vocabulary.hpp").read_text(encoding="utf-8")
    found = re.findall(r'ClassInfo\{"([^"]+)",\s*"([^"]+)"\}', text)
    if not found:
        raise Failure("harness/result/vocabulary.hpp names no classes any more: this script must be changed with it.")
    return "\n".join(f"| `{name}` | {meaning} |" for name, meaning in found)


def folders():
    """The families of the sources."""
    return sorted(folder.name for folder in (ROOT / "bench").iterdir()
                  if folder.is_dir() and folder.name not in ("support", "faults") and list(folder.glob("*.c[pu]*")))


def described(build, family):
    """What the family's executable says, or None when this build has none."""
    executable = build / "libexec" / "gpugauge" / f"gpugauge-bench-{family}"
    if not executable.is_file():
        return None
    answer = subprocess.run([executable, "--gpugauge_describe"], capture_output=True, text=True, timeout=60, check=False)
    if answer.returncode != 0:
        raise Failure(f"{executable.name} --gpugauge_describe ended with {answer.returncode}: {answer.stderr.strip()}")
    value = json.loads(answer.stdout)
    if value["schema"] != "gpugauge.definitions/1":
        raise Failure(f"{executable.name} describes itself in {value['schema']}, which this script does not know.")
    ids = {name for one in value["definitions"] for name in one["ids"]}
    for one in value["definitions"]:
        for name, other in one["beside"]["ids"].items():
            if other not in ids:
                raise Failure(f"{name} is held beside {other}, which its family does not have.")
    return value


def needs(requires):
    if not requires["gpu"]:
        return ""
    words = ["a GPU"]
    capability, below = requires["minimum_compute_capability"], requires["below_compute_capability"]
    if capability:
        words.append(f"of compute capability {capability // 10}.{capability % 10}"
                     + ("" if requires["only_that_compute_capability"] else " or newer")
                     + (f", before {below // 10}.{below % 10}" if below else ""))
    elif requires["instead_on"]:
        named = [f"{one // 10}.{one % 10}" for one in requires["instead_on"]]
        words.append("of compute capability " + " or ".join([", ".join(named[:-1])] * (len(named) > 1) + named[-1:]))
    elif below:
        words.append(f"of a compute capability before {below // 10}.{below % 10}")
    if requires["devices"] > 1:
        words = [f"{requires['devices']} GPUs"] + words[1:]
    return " ".join(words)


def profiles(one):
    """"quick `/8192`; deep `/1024` `/2048`": the values behind the definition's id, by the shallowest profile."""
    by_depth = {depth: [name[len(one["id"]):] for name in one["ids"] if one["depths"][name] == depth] for depth in DEPTHS}
    used = [depth for depth in DEPTHS if by_depth[depth]]
    if len(used) == 1:
        return used[0]
    most = 8
    parts = []
    for depth in used:
        names = by_depth[depth]
        last = depth == used[-1] and len(names) > most
        parts.append(f"{depth}: " + ("the others" if last else " ".join(f"`{name}`" for name in names)))
    return "; ".join(parts)


def classes_of(one):
    """"`l2`, `smem`", or by the values behind the definition's id where they differ: "`smem`: `/l1`; `l2`: `/l2`"."""
    by_classes = {}
    for name in one["ids"]:
        by_classes.setdefault(", ".join(f"`{word}`" for word in one["classes"][name]), []).append(name[len(one["id"]):])
    if len(by_classes) == 1:
        return next(iter(by_classes))
    return "; ".join(f"{words}: {' '.join(f'`{name}`' for name in names)}" for words, names in by_classes.items())


def beside(one):
    """What a process that measured both benchmarks records of the one relative to the other."""
    name, ids = one["beside"]["name"], one["beside"]["ids"]
    others = sorted(set(ids.values()))
    what = f"of `{others[0]}`" if len(others) == 1 else f"of the same in {name}"
    rates = one["quantity"]
    return f"`{rates}_over_{name}`, and the same of `{rates}_best`: {what}, where the process measured both"


def sentence(text):
    text = text.strip()
    return text if text.endswith((".", "?", "!")) else text + "."


def definition(one):
    lines = [f"### {one['id']}", "", sentence(one["isolates"]), "", "| | |", "|---|---|"]
    for axis in one["axes"]:
        lines.append(f"| {axis['name']} | {', '.join(axis['values'])} |")
    if one["quantity"] == "custom":
        lines.append("| measures | metrics of its own, named with their units in every run |")
    else:
        metrics = ", ".join(f"`{metric['name']}` ({metric['statistic']})" for metric in one["metrics"])
        lines.append(f"| measures | {metrics} = {FORMULAS[one['quantity']]}, in {one['unit']}, {one['better']} is better |")
    if one["beside"]["ids"]:
        lines.append(f"| recorded beside it | {beside(one)} |")
    lines.append(f"| class | {classes_of(one)} |")
    lines.append(f"| profile | {profiles(one)} |")
    if needs(one["requires"]):
        lines.append(f"| needs | {needs(one['requires'])} |")
    if one["deterministic"]:
        lines.append("| repeats | bit for bit |")
    lines.append(f"| a bad value | {one['bad_value'].strip().rstrip('.')} |")
    return "\n".join(lines) + "\n"


def section(value):
    parts = [f"## {value['family']}\n"]
    parts += [definition(one) for one in value["definitions"]]
    return "\n".join(parts)


def split(text):
    """The head, and the sections by family, of a page as this script writes it."""
    parts = re.split(r"(?m)^(?=## )", text)
    sections = {}
    for part in parts[1:]:
        sections[part.splitlines()[0][3:].strip()] = part.rstrip("\n") + "\n"
    return parts[0].rstrip("\n") + "\n", sections


def made(build, old):
    """The page, and the families that this build lacks."""
    head = HEAD.format(command=COMMAND, classes=classes(), depths=", ".join(DEPTHS), **FORMULAS)
    kept = split(old)[1]
    sections, lacking = [], []
    for family in folders():
        value = described(build, family)
        if value is not None:
            sections.append(section(value))
            continue
        lacking.append(family)
        if family in kept:
            sections.append(kept[family])
    if not sections:
        raise Failure(f"{build} has no families: build them first.")
    return "\n".join([head, *sections]), lacking


def stale(old, new):
    """Names of what differs: sections, or the head."""
    old_head, old_sections = split(old)
    new_head, new_sections = split(new)
    names = [] if old_head == new_head else ["the head"]
    for family in sorted(set(old_sections) | set(new_sections)):
        if old_sections.get(family) != new_sections.get(family):
            names.append(family)
    return names


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        old = options.page.read_text(encoding="utf-8") if options.page.is_file() else ""
        new, lacking = made(options.build, old)
        for family in lacking:
            print(f"not looked at: {family} (not in {options.build})")
        if options.write:
            whole.write(options.page, new)
            return 0
        for name in stale(old, new):
            print(f"{options.page.name} is stale: {name}")
        if old == new:
            return 0
        print(f"Write it anew: {COMMAND}")
        return 1
    except (Failure, OSError, KeyError, ValueError, subprocess.TimeoutExpired) as fault:
        print(f"benchmarks.py: {fault}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
