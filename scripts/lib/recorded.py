#!/usr/bin/env python3
"""What scripts/record keeps of a stage: how much of what was asked it reached, and what that holds for.

Usage: recorded.py count KIND FILE...  prints a summary as JSON: what is counted, asked, reached, below, missing. KIND:
         tests       files of GoogleTest's --gtest_output=json, together
         run         run files, together; launch: one, whose benchmarks count only with a p99
         ratios      run files, for ratios.py; pytorch: those against PyTorch; spread: how far processes differ
         doctor      a doctor's report
         faults      the file of `gpugauge selftest --inject --output`
         sanitizer   a folder with TOOL.json (GoogleTest's) and TOOL.status (an exit status) of each tool
       recorded.py percentiles RUN_FILE prints p50, p90 and p99 over the batches as a Markdown table
       recorded.py state FOLDER         prints how a stage stands, one line
       recorded.py list                 reads lines of stage, claim and folder, with tabs between; prints a table

state and list compare with what is here: the variables GPU_UUID (empty: no usable GPU), BOOT_ID, DRIVER and BUILD_IDENTITY
(empty: no build). count ends with 0 when there is anything to record, 1 when not; state with 0 when all is reached here, 1 when
it is recorded here and falls short, 2 when it is not recorded for what is here. 3: a file cannot be read.
"""
import json
import math
import os
import pathlib
import shutil
import statistics
import sys
import textwrap

import ratios

FEWEST_P99_BATCHES = 100  # as bench/support/statistics.hpp
TIMED_OUT = (124, 137)    # what timeout(1) ends with
SHOWN = 3                 # names that one line of a state holds


class NothingToRecord(Exception):
    """What was measured says nothing; the text says why, one sentence."""


def load(path):
    """The JSON of a file."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def summary(what, asked, reached, below, missing):
    """asked: how many were to be shown; below: what fell short, missing: what says nothing, each with its reason."""
    if reached == 0 and not below:
        raise NothingToRecord(f"none of {asked} {what}" + (f": {missing[0]}" if missing else ""))
    return {"what": what, "asked": asked, "reached": reached, "below": below, "missing": missing}


def tests_of(file):
    """(name, "passed", "failed" or "skipped", reason) of each test that was to run."""
    for suite in load(file)["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("status") == "NOTRUN" or test.get("result") == "SUPPRESSED":
                continue
            state = "passed" if test.get("result") == "COMPLETED" else "skipped"
            reason = " ".join(str(one.get("message", "")) for one in test.get("skipped", []))
            if test.get("failures"):
                state, reason = "failed", str(test["failures"][0].get("failure", ""))
            name = f"{suite['name']}.{test['name']}"
            yield name, state, name + (": " + " ".join(reason.split())[:200] if reason else "")


def count_tests(files):
    """Tests that ran and passed; a skipped one has shown nothing."""
    tests = [test for file in files for test in tests_of(file)]
    return summary("tests passed", len(tests), sum(state == "passed" for _, state, _ in tests),
                   [text for _, state, text in tests if state == "failed"],
                   [text for _, state, text in tests if state == "skipped"])


def count_run(files):
    """Benchmarks that were measured in every process that was to measure them."""
    states, below, missing = {}, [], []
    for file in files:
        run = ratios.read_run(file)
        if not run["complete"]:
            raise NothingToRecord(f"{file} is partial: {run['partial_reason']}")
        for process in run["processes"]:
            benchmarks = (process.get("samples") or {}).get("benchmarks", [])
            for one in benchmarks:
                states.setdefault(one["id"], []).append((one["status"], one["reason"]))
            if process["status"] != "ok" and not any(one["status"] == "failed" for one in benchmarks):
                text = f"family {process['family']}: {process['reason']}"
                (missing if process["status"] in ("unavailable", "skipped") else below).append(text)
    below, missing = sorted(set(below)), sorted(set(missing))
    families, reached = len(below) + len(missing), 0
    for name, seen in sorted(states.items()):
        bad = [entry for entry in seen if entry[0] != "ok"]
        if not bad:
            reached += 1
        elif any(status == "failed" for status, _ in bad):
            below.append(f"{name}: {next(reason for status, reason in bad if status == 'failed')}")
        else:
            missing.append(f"{name}: {bad[0][1]}")
    return summary("benchmarks measured", len(states) + families, reached, below, missing)


def batches_of(file):
    """{benchmark: (seconds of one operation in each batch of all processes, operations of a batch in each process)}."""
    out = {}
    for process in ratios.read_run(file)["processes"]:
        for one in (process.get("samples") or {}).get("benchmarks", []):
            if one["status"] == "ok":
                seconds, operations = out.setdefault(one["id"], ([], []))
                seconds.extend(one["batches"]["seconds_per_operation"])
                operations.append(one["batches"]["operations_per_batch"])
    return out


def count_launch(files):
    """As count_run; a benchmark with too few batches for a p99 gives no answer."""
    file, = files
    kept = count_run(files)
    broken = {entry.split(": ")[0] for entry in kept["below"] + kept["missing"]}
    few = [f"{name}: {len(seconds)} batches, and a p99 needs {FEWEST_P99_BATCHES}"
           for name, (seconds, _) in sorted(batches_of(file).items()) if len(seconds) < FEWEST_P99_BATCHES and name not in broken]
    return summary("benchmarks with p50, p90 and p99", kept["asked"], kept["reached"] - len(few), kept["below"],
                   kept["missing"] + few)


def count_ratios(files, wanted=ratios.LIBRARIES + ratios.PEAKS):
    """Ratios that were formed and reach what was asked for."""
    formed = ratios.lines(wanted, [ratios.read_run(file) for file in files])
    return summary("ratios reached", len(formed), sum(reached is True for _, reached in formed),
                   [f"{columns[0]}: {columns[2]} of {columns[3]}" for columns, reached in formed if reached is False],
                   [f"{columns[0]}: {columns[4]}" for columns, reached in formed if reached is None])


def count_spread(files):
    """Metrics of products, memory and launching of which the processes of a run differ as little as was asked for."""
    formed = ratios.spread_lines([ratios.read_run(file) for file in files])
    return summary("metrics within the spread asked for", len(formed), sum(reached is True for _, reached in formed),
                   [f"{columns[0]}: {columns[2]} of {columns[3]}" for columns, reached in formed if reached is False],
                   [f"{columns[0]}: {columns[4]}" for columns, reached in formed if reached is None])


def count_doctor(files):
    """Facts of the inventory that could be read; failures that the doctor found are below."""
    report, = (load(file) for file in files)
    gpu = next((layer["version"] for layer in report["layers"] if layer["layer"] == "GPU"), "absent")
    if gpu == "absent":
        raise NothingToRecord("the doctor sees no GPU")
    items = report["inventory"]["items"]
    unread = [f"{item['key']}: {item['source']} is unreadable" for item in items if item["answer"] == "unreadable"]
    return summary("facts read", len(items), len(items) - len(unread),
                   [f"{one['cause']}: {one['title']}" for one in report["findings"] if one["severity"] == "failure"], unread)


def count_faults(files):
    """Faults that were found and named first in each trial, and quiet runs that raised no alarm."""
    told, = (load(file) for file in files)
    below, missing, reached = [], [], 0
    for fault in told["faults"]:
        trials = len(fault["trials"])
        if not trials:
            missing.append(f"{fault['fault']}: {fault['not_run']}")
        elif fault["found"] == trials and fault["named_first"] == trials:
            reached += 1
        else:
            instead = "".join(f", instead {cause}" for cause in fault["confused_with"])
            below.append(f"{fault['fault']}: found {fault['found']} and named first {fault['named_first']} of {trials}{instead}")
    quiet, alarms = len(told["quiet"]["trials"]), told["quiet"]["alarms"]
    silent = [trial["problem"] for trial in told["quiet"]["trials"] if trial["problem"]]
    missing += [f"a quiet run: {problem}" for problem in silent]
    if alarms:
        below.append(f"{alarms} of {quiet} quiet runs raised an alarm")
    if told["interrupted"]:
        missing.append("it was ended early, by its time limit or a signal")
    return summary("faults found and named first" + (", quiet runs without an alarm" if quiet else ""),
                   len(told["faults"]) + quiet, reached + max(quiet - alarms - len(silent), 0), below, missing)


def small_tests(file):
    """Names of the tests that made their sizes small (tests/gpu/gpu_test.hpp)."""
    return {f"{suite['name']}.{test['name']}" for suite in load(file)["testsuites"] for test in suite["testsuite"]
            if test.get("small") == "true"}


def count_sanitizer(files):
    """Tests that passed under each tool, and tools that reported no error; which tests made their sizes small."""
    folder = pathlib.Path(files[0])
    tools = sorted(path.stem for path in folder.glob("*.status"))
    asked, reached, below, missing, small = 0, 0, [], [], set()
    for tool in tools:
        status = int((folder / f"{tool}.status").read_text(encoding="ascii"))
        asked += 1
        if status == 0:
            reached += 1
        elif status in TIMED_OUT:
            below.append(f"{tool}: ran past its time")
        else:
            below.append(f"{tool}: ended with {status}, see {tool}.txt and {tool}-tests.txt")
        if not (folder / f"{tool}.json").exists():
            continue
        tests = list(tests_of(folder / f"{tool}.json"))
        small |= small_tests(folder / f"{tool}.json")
        asked += len(tests)
        reached += sum(state == "passed" for _, state, _ in tests)
        below += [f"{tool}: {text}" for _, state, text in tests if state == "failed"]
        missing += [f"{tool}: {text}" for _, state, text in tests if state == "skipped"]
        if tests and not any(state == "passed" for _, state, _ in tests):
            raise NothingToRecord(f"under {tool} every test was skipped")
    return {**summary("tests passed and tools without an error", asked, reached, below, missing), "tested_small": sorted(small)}


KINDS = {"tests": count_tests, "run": count_run, "launch": count_launch, "ratios": count_ratios, "spread": count_spread, "doctor": count_doctor,
         "faults": count_faults, "sanitizer": count_sanitizer, "pytorch": lambda files: count_ratios(files, ratios.PYTORCH)}


def duration(seconds):
    """Three digits with a unit, or "-"."""
    if seconds is None:
        return "-"
    for unit, factor in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def percentiles(file):
    """A Markdown table: nearest-rank percentiles over the batches of all processes, each a mean over its operations."""
    text = "| benchmark | p50 | p90 | p99 | batches | operations a batch |\n|---|---|---|---|---|---|\n"
    for name, (seconds, operations) in sorted(batches_of(file).items()):
        ranked = sorted(seconds)
        at = [ranked[math.ceil(share * len(ranked)) - 1] if ranked else None for share in (0.5, 0.9, 0.99)]
        if len(ranked) < FEWEST_P99_BATCHES:
            at[2] = None
        text += f"| {name} | {' | '.join(map(duration, at))} | {len(ranked)} | {statistics.median(operations):g} |\n"
    return text + f"\nOf one operation, over batches; a p99 needs {FEWEST_P99_BATCHES} batches.\n"


def named(title, entries):
    """"; TITLE: a, b, c and 4 more", or nothing. Names only: their reasons stand in summary.json."""
    if not entries:
        return ""
    names = [textwrap.shorten(entry, 100, placeholder=" ...") if title == "below" else entry.split(": ")[0]
             for entry in entries[:SHOWN]]
    return f"; {title}: " + ", ".join(names) + (f" and {len(entries) - SHOWN} more" if len(entries) > SHOWN else "")


def elsewhere(provenance):
    """What differs from what is here: a list of "for another GPU: ..." and the like."""
    out = []
    here = {name: os.environ.get(name, "") for name in ("GPU_UUID", "BOOT_ID", "DRIVER", "BUILD_IDENTITY")}
    if here["GPU_UUID"] and provenance["gpu_uuid"] != here["GPU_UUID"]:
        out.append(f"for another GPU, {provenance['gpu_uuid']}")
    if here["GPU_UUID"] and provenance["boot_id"] != here["BOOT_ID"]:
        out.append(f"at another boot, {provenance['boot_id']}")
    if here["GPU_UUID"] and provenance["driver"] != here["DRIVER"]:
        out.append(f"under another driver, {provenance['driver']}")
    if here["BUILD_IDENTITY"] and provenance["build"] != here["BUILD_IDENTITY"]:
        out.append(f"by another build, {provenance['build']}")
    return out


def last_line(path):
    """The last line of a log that says anything; "" where there is none."""
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    said = [" ".join(line.split()) for line in lines if line.strip()]
    return "".join(one if one.isprintable() else "?" for one in said[-1][:200]) if said else ""


def failure(folder, provenance):
    """How a try ended that recorded nothing, one clause."""
    if provenance["exit_status"] in TIMED_OUT:
        why = f"ran past its {provenance['limit_seconds']} s"
    else:
        why = f"status {provenance['exit_status']}"
    said = last_line(folder / "log.txt")
    return f"{why}{': ' + said if said else ''}"


def standing(folder):
    """(code, state, provenance or None): see `state` above for the code."""
    folder = pathlib.Path(folder)
    try:
        provenance = load(folder / "provenance.json")
        if provenance["exit_status"] != 0:
            return 2, f"not recorded: tried on {provenance['date'][:10]}, {failure(folder, provenance)}", None
        kept = load(folder / "summary.json")
        text = f"recorded: {kept['reached']} of {kept['asked']} {kept['what']}"
        text += named("below", kept["below"]) + named("no answer", kept["missing"])
        others = elsewhere(provenance)
        full = kept["reached"] == kept["asked"] and not kept["below"] and not kept["missing"]
    except FileNotFoundError as error:
        without = not error.filename.endswith("provenance.json")
        return 2, f"not recorded: {error.filename} is missing" if without else "not recorded", None
    except (OSError, ValueError, KeyError, TypeError) as error:
        return 2, f"not recorded: {folder} cannot be read ({type(error).__name__}: {error})", None
    try:
        later = load(f"{folder}.failed/provenance.json")
        text += f"; a later try failed on {later['date'][:10]}: {failure(pathlib.Path(f'{folder}.failed'), later)}"
    except (OSError, ValueError, KeyError, TypeError):
        pass  # there was none, or it says nothing
    if others:
        text += "; " + "; ".join(others)
    if not os.environ.get("GPU_UUID"):
        return 2, text + "; there is no usable GPU here to compare with", provenance
    return (2 if others else 0 if full else 1), text, provenance


def table(rows, width):
    """Rows of equal length, the first a head; the second and third columns are wrapped to what `width` leaves."""
    fixed = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    left = max(24, (width - sum(fixed) + fixed[1] + fixed[2] - 2 * (len(fixed) - 1)) // 2)
    fixed[1], fixed[2] = min(fixed[1], left), min(fixed[2], left)
    out = []
    for number, row in enumerate(rows):
        cells = [textwrap.wrap(text, fixed[column]) or [""] for column, text in enumerate(row)]
        for line in range(max(map(len, cells))):
            parts = (cell[line] if line < len(cell) else "" for cell in cells)
            out.append("  ".join(part.ljust(size) for part, size in zip(parts, fixed)).rstrip())
        if number == 0:
            out.append("  ".join("-" * size for size in fixed))
    return "\n".join(out)


def listing(lines):
    """The table of `list`."""
    rows = [("stage", "claim", "state", "GPU", "driver", "date")]
    for line in lines:
        name, claim, folder = line.rstrip("\n").split("\t")
        _, state, provenance = standing(folder)
        kept = provenance or {}
        rows.append((name, claim, state, kept.get("gpu_name") or "-", kept.get("driver") or "-",
                     kept.get("date", "-").replace("T", " ")))
    return table(rows, shutil.get_terminal_size((160, 24)).columns)


def main(arguments):
    """The command; its exit code."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    try:
        if command == "count" and len(rest) > 1 and rest[0] in KINDS:
            print(json.dumps(KINDS[rest[0]](rest[1:]), indent=1))
        elif command == "percentiles" and len(rest) == 1:
            print(percentiles(rest[0]), end="")
        elif command == "state" and len(rest) == 1:
            code, text, _ = standing(rest[0])
            print(text)
            return code
        elif command == "list" and not rest:
            print(listing(sys.stdin))
        else:
            print(__doc__, file=sys.stderr, end="")
            return 3
    except NothingToRecord as error:
        print(f"Nothing to record: {error}.", file=sys.stderr)
        return 1
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"recorded.py {' '.join(arguments)}: {type(error).__name__}: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
