#!/usr/bin/env python3
"""Says which lines and branches of the harness the tests entered, from gcovr's JSON.

Usage: coverage.py COVERAGE_JSON OUT --least PERCENT [--commit COMMIT] [--page FILE]

OUT gets, as text: a table of the rooms, the files of which less than 80% was entered, the functions that were never entered, and
for every file the lines that never ran and the branches that were never taken. --page writes a short page of it with day and
commit. Prints the table; ends with 1 where less than PERCENT of the harness's lines ran, or where nothing was counted.
"""
import argparse
import collections
import dataclasses
import datetime
import json
import pathlib
import sys

import whole

FEW = 80.0  # percent: a file with less is named


@dataclasses.dataclass
class Counts:
    lines: int = 0
    entered: int = 0
    branches: int = 0
    taken: int = 0

    def add(self, other):
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def share(self):
        return 100.0 * self.entered / self.lines if self.lines else 100.0

    def row(self, name):
        branches = f"{100.0 * self.taken / self.branches:.1f}%" if self.branches else "-"
        return [name, f"{self.lines}", f"{self.share():.1f}%", f"{self.branches}", branches]


@dataclasses.dataclass
class File:
    path: str
    lines: dict       # number: how often it ran
    branches: dict    # number: [how often each branch was taken]
    unentered: list   # (line, name) of functions that never ran

    def counts(self):
        every = [count for group in self.branches.values() for count in group]
        return Counts(len(self.lines), sum(count > 0 for count in self.lines.values()), len(every), sum(count > 0 for count in every))

    def room(self):
        return self.path.split("/")[1]


def read_file(entry):
    """One file of gcovr's JSON. A template's line stands there once an instance: what one of them entered is entered."""
    lines, branches = {}, {}
    for line in entry["lines"]:
        if line.get("gcovr/excluded"):
            continue
        number = line["line_number"]
        lines[number] = lines.get(number, 0) + line["count"]
        counts = [branch["count"] for branch in line.get("branches", ()) if not branch.get("gcovr/excluded")]
        if not counts:
            continue
        known = branches.setdefault(number, [])
        if len(known) == len(counts):
            branches[number] = [one + other for one, other in zip(known, counts)]
        else:
            known.extend(counts)
    functions = collections.defaultdict(lambda: ["", 0])
    for function in entry.get("functions", ()):
        if not function.get("gcovr/excluded"):
            one = functions[function["lineno"]]
            one[0] = one[0] or function.get("demangled_name") or function["name"]
            one[1] += function["execution_count"]
    unentered = sorted((number, name) for number, (name, count) in functions.items() if count == 0)
    return File(entry["file"], lines, branches, unentered), len(functions)


def ranges(numbers):
    """[1, 2, 3, 7] as "1-3 7"."""
    out = []
    for number in sorted(numbers):
        if out and out[-1][1] == number - 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return " ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in out)


def table(rows):
    head = ["room", "lines", "lines entered", "branches", "branches taken"]
    return "\n".join(["| " + " | ".join(row) + " |" for row in [head, ["---", "--:", "--:", "--:", "--:"], *rows]]) + "\n"


def gaps(files):
    out = ""
    for file in files:
        never = [number for number, count in file.lines.items() if count == 0]
        half = [f"{number} ({sum(count == 0 for count in group)} of {len(group)})" for number, group in sorted(file.branches.items())
                if file.lines.get(number, 0) > 0 and 0 in group]
        if not never and not half:
            continue
        out += f"{file.path}\n"
        out += f"  lines that never ran: {ranges(never)}\n" if never else ""
        out += f"  branches never taken of lines that ran: {', '.join(half)}\n" if half else ""
    return out


def page(rows, few, unentered, functions, commit, total):
    listed = "".join(f"| `{file.path}` | {counts.lines} | {counts.share():.1f}% |\n" for file, counts in few) or "| none | | |\n"
    return f"""# Coverage of the harness

Counted on {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d} at commit {commit} by

    scripts/lib/coverage --page docs/coverage.md

This command builds the preset `coverage` and runs the unit tests, the tests of the command and the table of faults on it. No GPU was
there, and no CUDA family was built. A step of `scripts/test --all` fails under 90% of the lines.

- A process that a signal kills writes no counts, so what the faults kill counts for nothing.
- Branches are g++'s own. Those that it adds behind calls for exceptions are left out. Those of loops over temporary arrays, and of
  statics that are made once, are counted.

{table(rows)}
Files of which less than {FEW:.0f}% of the lines ran:

| file | lines | entered |
|---|--:|--:|
{listed}
{unentered} of {functions} functions were never entered. After a run `build/coverage/coverage.txt` names them, every line that never ran, and every
branch that was never taken ({total.branches - total.taken} of {total.branches}).
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--least", type=float, required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    files, functions = [], 0
    for entry in json.loads(arguments.json.read_text())["files"]:
        file, count = read_file(entry)
        if file.lines:
            files.append(file)
            functions += count
    files.sort(key=lambda file: file.path)
    total, rooms = Counts(), collections.defaultdict(Counts)
    for file in files:
        rooms[file.room()].add(file.counts())
        total.add(file.counts())
    if total.entered == 0:
        print(f"{arguments.json}: nothing was counted.")
        return 1
    rows = [counts.row(room) for room, counts in sorted(rooms.items())] + [total.row("all")]
    few = [(file, file.counts()) for file in files if file.counts().share() < FEW]
    unentered = [f"{file.path}:{number} {name}" for file in files for number, name in file.unentered]
    text = table(rows)
    text += f"\nFiles under {FEW:.0f}%: {len(few)}\n" + "".join(f"{counts.share():6.1f}% of {counts.lines:4} {file.path}\n" for file, counts in few)
    text += f"\nFunctions never entered: {len(unentered)} of {functions}\n" + "".join(line + "\n" for line in unentered)
    text += "\nWhat never ran:\n" + gaps(files)
    whole.write(arguments.out, text)
    if arguments.page:
        whole.write(arguments.page, page(rows, few, len(unentered), functions, arguments.commit, total))
    print(table(rows))
    print(f"{total.share():.2f}% of {total.lines} lines, {total.taken} of {total.branches} branches; {len(few)} files under {FEW:.0f}%, "
          f"{len(unentered)} of {functions} functions never entered; {arguments.out} lists them")
    if total.share() < arguments.least:
        print(f"Less than {arguments.least:g}% of the harness's lines ran.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
