#!/usr/bin/env python3
"""Drives the command through every row of the fault table.

    faults.py BUILD [--all] [--only PATTERN] [--group GROUP]
                                         run them; ends with 1 when one is not borne
    faults.py --page FILE [--write]      is FILE the table as a page (docs/faults.md)? or write it

Without --all the long rows are left out, which is said. A row that this machine cannot run is skipped by name.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import sys
import tempfile
import time

from fault import Fault, table
from node import NEVER, TEMPORARY, Node, ulid

# Rows mostly wait: more of them than processors.
WORKERS = 6


def pristine(node, gpu):
    """A run of the family `good` as the command writes it, made once and copied into every row."""
    node.write_family("good", gpu)
    if gpu:
        node.use_fake_driver("")
    device = "all" if gpu else "host"
    code, output, _ = node.bash(f"gpugauge run --device {device} --profile smoke --quiet --output earlier.json", 60)
    if code != 0:
        raise SystemExit(f"faults: a run without any fault ended with {code}:\n{output}")
    return (node.folder / "earlier.json").read_text()


# What the campaign itself writes (node.bash, the families' scripts), and where the command keeps what it measured.
OWN = re.compile(r"^(log|libexec/(here|over)|state/runs/[0-9A-Z]{26}\.json|state/verdicts(/[^/]+\.json)?)$")


def asked_for(row, file):
    """Does the command name it or something in it, or does the row say that it makes it? A folder that is named says nothing
    of what lies in it. Of a hostile name counts what stands before its first quote or control character: the shell writes the
    rest in another way."""
    name = re.split(r"[\x00-\x1f'\"`]", file)[0]
    named = name and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-]*[\w-])", row.run + row.before)
    return bool(named or (row.makes and re.fullmatch(row.makes, file)))


def prepare(node, row, earlier):
    if row.good:
        node.write_family("good", row.gpu)
    node.write_family("bad", row.gpu, row.family, row.describe)
    if row.gpu:
        node.use_fake_driver(row.scenario)
    if row.cuda is not None:
        node.use_fake_runtime(row.cuda)
    (node.folder / "earlier.json").write_text(earlier[row.gpu])
    run = json.loads(earlier[row.gpu])
    run["id"] = ulid(1)
    (node.folder / "state" / "runs" / f"{run['id']}.json").write_text(json.dumps(run))
    if row.output == "earlier":
        (node.folder / "out.json").write_text(earlier[row.gpu])


def unborne(node, row, before, code, output, memory):
    """Yields what does not hold after a fault, a sentence each."""
    shown = re.sub(r"\s+", " ", output)
    if code != row.code:
        yield (
            f"it ended with {code}, not {row.code}" if code is not None else f"it had not ended after {row.seconds:g} s"
        )
    if not re.search(row.says, shown):
        yield f"its output does not hold /{row.says}/"
    if row.lacks and re.search(row.lacks, shown):
        yield f"its output holds /{row.lacks}/"
    if NEVER.search(output):
        yield f"it shows what nobody may see: {NEVER.search(output).group()!r}"
    if memory > row.memory_mib << 20:
        yield f"a process took {memory >> 20} MiB, more than {row.memory_mib}"
    for orphan in node.orphans():
        yield f"a process outlived it: {orphan}"
    after = node.snapshot()
    for file, digest in before.items():
        if (
            re.search(row.changes or r"^$", file)
            or file.startswith(("libexec/", "tmp/", "scenario"))
            or file in ("out.json", "libexec")
        ):
            continue
        if after.get(file) != digest:
            yield f"{file} was {'changed' if file in after else 'removed'}"
    for file in sorted(after.keys() - before.keys()):
        name = pathlib.PurePath(file).name
        if file.startswith("tmp/") or (TEMPORARY.match(name) and name not in row.run):
            yield f"a temporary file was left: {file}"
        elif not OWN.search(file) and not asked_for(row, file) and (file != "out.json" or row.output == "none"):
            yield f"{file} was written, which nobody asked for"
    yield from wrong_output(node, row, before, after)
    if row.holds:
        held, said, _ = node.bash(row.holds, 30)
        if held != 0:
            yield f"afterwards does not hold: {row.holds.strip()} ({said.strip()})"


def wrong_output(node, row, before, after):
    out = node.folder / "out.json"
    if row.output == "none":
        if out.is_file():
            yield "out.json was written"
        return
    if row.output == "earlier":
        if after.get("out.json") != before["out.json"]:
            yield "out.json is not as it was"
        return
    try:
        run = json.loads(out.read_text())
    except (OSError, ValueError) as error:
        yield f"out.json cannot be read: {error}"
        return
    if run["complete"] != (row.output == "whole"):
        yield f"out.json is not {row.output}: {run['partial_reason']}"
    code, said, _ = node.bash("unset LD_PRELOAD; gpugauge compare out.json", 30)
    if code == 2:
        yield f"out.json cannot be compared: {said.strip()}"


def unsuited(row):
    """Why a row tells nothing about a build with sanitizers, or ""."""
    if row.shim or "LD_PRELOAD" in row.run:
        return "a sanitizer must be the first library"
    if "ulimit -v" in row.run + row.family:
        return "a sanitizer takes terabytes of address space"
    if "ulimit -n" in row.run:
        return "a sanitizer asks for descriptors of its own"
    return ""


def bear(build, scratch, row, number, earlier):
    """(row, 'ok' | 'skipped' | 'failed', lines that say why, seconds)."""
    start = time.monotonic()
    with Node(build, pathlib.Path(scratch) / f"{number}", number) as node:
        prepare(node, row, earlier)
        if row.cuda is not None and not node.fake_families():
            return row, "skipped", ["this build has no family for a GPU, as it has no CUDA"], 0
        if row.needs:
            code, said, _ = node.bash(row.needs, 30)
            if code != 0:
                return row, "skipped", [said.strip()], 0
        if row.before:
            code, said, _ = node.bash("set -e\n" + row.before, 30)
            if code != 0:
                return row, "failed", [f"the fault could not be made: {said.strip()}"], 0
        before = node.snapshot()
        code, output, memory = node.bash(row.run, row.seconds, row.shim)
        problems = list(unborne(node, row, before, code, output, memory))
        if problems:
            problems.append("it said: " + output.strip()[-1500:].replace("\n", "\n    "))
    return row, "failed" if problems else "ok", problems, time.monotonic() - start


def see_temporaries(build, scratch, earlier):
    """Ends the campaign where a real temporary file would not be seen: that of a command which is killed between writing
    and renaming. Whatever is called otherwise then, the check of every row would find nothing."""
    killed = Fault(
        "killed before it renames", "gpugauge compare earlier.json --report json=out.txt", 137, "", shim="rename=kill"
    )
    _, _, lines, _ = bear(build, scratch, killed, "killed", earlier)
    if not any(re.match(r"a temporary file was left: \.out\.txt\.", line) for line in lines):
        raise SystemExit(f"faults: a temporary file that is left would not be seen: {lines}")


def bear_all(build, rows, sanitized):
    """How many rows were borne, skipped and not borne, each printed as it ends. What is not borne beside others, which may be for
    want of a processor, is done once more alone: how many were borne so only is counted, too."""
    counts = {"ok": 0, "skipped": 0, "failed": 0, "alone": 0}
    not_borne = []
    again = []
    # In the build folder: one row takes /tmp away.
    with tempfile.TemporaryDirectory(prefix="faults-", dir=build) as scratch:
        os.chmod(scratch, 0o755)  # rows that give up root's rights must come in
        earlier = {}
        for gpu in (False, True):
            with Node(build, pathlib.Path(scratch) / f"pristine-{gpu}", f"pristine-{gpu}") as node:
                earlier[gpu] = pristine(node, gpu)
        if not sanitized:  # a sanitizer must be the first library
            see_temporaries(build, scratch, earlier)
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            # Those that wait longest begin first.
            order = sorted(rows, key=lambda row: -row.seconds)
            for row in list(order):
                if sanitized and unsuited(row):
                    counts["skipped"] += 1
                    print(f"skipped {row.group}: {row.name}: {unsuited(row)}")
                    order.remove(row)
                elif sanitized:
                    row.memory_mib *= 8
                    if row.group == "traced":  # LeakSanitizer ends with 1 where it is traced
                        row.run = "export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}; " + row.run
            waiting = [pool.submit(bear, build, scratch, row, number, earlier) for number, row in enumerate(order)]
            for future in concurrent.futures.as_completed(waiting):
                row, state, lines, seconds = future.result()
                if state == "failed":
                    again.append(row)
                    print(f"beside others not borne, once more alone: {row.group}: {row.name}: {lines[0]}", flush=True)
                    continue
                counts[state] += 1
                print(
                    f"{state:8}{row.group}: {row.name} ({seconds:.1f} s)"
                    + (f": {lines[0]}" if state == "skipped" else ""),
                    flush=True,
                )
        for number, row in enumerate(again, len(order)):
            row, state, lines, seconds = bear(build, scratch, row, number, earlier)
            counts[state] += 1
            counts["alone"] += state == "ok"
            print(f"{state:8}{row.group}: {row.name} ({seconds:.1f} s, alone)", flush=True)
            if state == "failed":
                not_borne.append(f"not borne: {row.group}: {row.name}: {lines[0]}")
                for line in lines:
                    print(f"    {line}")
    # Again at the end, where one looks.
    for line in not_borne:
        print(line)
    return counts


def markdown(rows):
    """The page."""

    def cell(text):
        text = re.sub(r"\s+", " ", text.strip().replace("\n", " ⏎ ")).replace("|", "\\|")
        fence = "``" if "`" in text else "`"
        return f"{fence}{text}{fence}" if text else ""

    lines = [
        "# The faults it is driven through",
        "",
        "Generated from `tests/faults/table`: `tests/faults/faults.py --page docs/faults.md --write`.",
        "",
        (
            "Each row is done to the real command. After every one of them also holds: no process of it lives on, no"
            " temporary file"
        ),
        (
            "is left, every file of before is as it was, a run file that was written can be read again, no output shows"
            " a C++ or"
        ),
        "Python exception, and no process took more memory than the row allows.",
        "",
        (
            f"{len(rows)} faults, of which {sum(row.long for row in rows)} are *long* ones, which only `scripts/test"
            " --all` runs. `$HOST` is"
        ),
        "`--device host --profile smoke --quiet`.",
        "",
    ]
    for group in dict.fromkeys(row.group for row in rows):
        lines += [
            f"## {group.capitalize()}",
            "",
            "| fault | how | command | code | must say | output file |",
            "|---|---|---|---|---|---|",
        ]
        for row in (row for row in rows if row.group == group):
            how = [
                row.before,
                "" if row.family == "leave" else row.family,
                "" if row.describe == "describe" else "describe: " + row.describe,
                row.scenario.replace("\n", " "),
                row.cuda and "CUDA: " + row.cuda,
                row.shim and "shim: " + row.shim,
            ]
            shown = "<br>".join(cell(part) for part in how if part)
            long = " *(long)*" if row.long else ""
            lines.append(
                f"| {row.name}{long} | {shown} | {cell(row.run)} | {row.code} | {cell(row.says)} | {row.output} |"
            )
        lines.append("")
    return "\n".join(lines)


def page(file, text, write):
    if write:
        file.write_text(text)
        return 0
    if file.read_text() == text:
        print(f"{file} is the table")
        return 0
    print(f"{file} is not the table any more: tests/faults/faults.py --page {file} --write")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="the long rows too")
    parser.add_argument("--only", default="*", help="rows of this name; * stands for anything")
    parser.add_argument("--group", help="rows of this group")
    parser.add_argument("--sanitized", action="store_true", help="BUILD has sanitizers: what they cannot do is skipped")
    parser.add_argument("--page", type=pathlib.Path, help="compare this page with the table")
    parser.add_argument("--write", action="store_true", help="write the page")
    given = parser.parse_args()
    rows = table()
    if given.page:
        return page(given.page, markdown(rows), given.write)
    if given.build is None:
        parser.error("name the build folder")
    chosen = [row for row in rows if fnmatch.fnmatchcase(row.name, given.only) and given.group in (None, row.group)]
    now = [row for row in chosen if given.all or not row.long]
    if not now:
        print(f"faults: no row is called so; there are {len(rows)}")
        return 2
    start = time.monotonic()
    counts = bear_all(given.build.resolve(), now, given.sanitized)
    alone = f" ({counts['alone']} of them alone only)" if counts["alone"] else ""
    left = f", {len(chosen) - len(now)} long ones left out" if len(now) < len(chosen) else ""
    print(
        f"faults: {counts['ok']} borne{alone}, {counts['failed']} failed, {counts['skipped']} skipped of {len(now)} in "
        f"{time.monotonic() - start:.0f} s{left}"
    )
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
