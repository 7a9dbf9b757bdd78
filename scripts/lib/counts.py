"""How much of what a stage of scripts/record asked was reached: one function a kind of data, all in KINDS.

A summary holds what is counted, how many were asked and reached, and by name with reasons: below, what fell short; missing, what gives
no answer; not_here, what does not apply to this GPU or machine, and is not asked.
"""
import json
import math
import re
import statistics

import ratios

FEWEST_P99_BATCHES = 100  # as bench/support/statistics.hpp
# Reasons of the tests, families and faults of this project for which no other run on this machine would answer, either.
NOT_HERE = re.compile(r"(needs?|exists on) compute capability|this GPU has wgmma|"
                      r"two GPUs|needs \d+ GPUs, this process sees \d|no cooperative launches here|there is no NUMA node beside")
# How entries of `missing` begin that say of how little the rest was counted.
PARTIAL, FEWER = "partial", "fewer"
# As the runner names in a partial run file what was not measured (harness/run/runner.cpp).
UNFINISHED = re.compile(r"([\w-]+) \(\d+ of \d+\)")


class NothingToRecord(Exception):
    """What was measured says nothing; the text says why, one sentence."""


def load(path):
    """The JSON of a file."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def summary(what, asked, reached, below, missing):
    """A summary; of `missing`, what does not apply here goes to not_here and out of `asked`."""
    not_here = [entry for entry in missing if NOT_HERE.search(entry)]
    missing = [entry for entry in missing if entry not in not_here]
    if reached == 0 and not below:
        raise NothingToRecord(f"none of {asked} {what}" + (f": {(missing + not_here)[0]}" if missing + not_here else ""))
    return {"what": what, "asked": asked - len(not_here), "reached": reached, "below": below, "missing": missing, "not_here": not_here}


def count_tests(files, what="tests passed"):
    """Tests that passed, of suites.py's files. A suite that ended badly shows nothing of its tests, and is below."""
    asked, reached, below, missing, small = 0, 0, [], [], set()
    for record in (record for file in files for record in load(file)):
        asked += len(record["asked"])
        suite = f"{record['under']} {record['suite']}".lstrip()
        if not record["begun"]:
            missing += [f"{suite}.{name}: there was no time for it" for name in record["asked"]]
        elif record["ended"]:
            below.append(f"{suite}: {record['ended']}")
        told = {test["name"]: test for test in record["tests"]}
        for name, test in told.items():
            text = f"{suite}.{name}" + (f": {test['reason']}" if test["reason"] else "")
            if test["state"] == "skipped":
                missing.append(text)
            elif test["state"] == "failed":
                below.append(text)
            elif not record["ended"]:
                reached += 1
            if test["small"]:
                small.add(f"{record['suite']}.{name}")
        if record["begun"] and not record["ended"]:
            missing += [f"{suite}.{name}: it did not run" for name in record["asked"] if name not in told]
    return {**summary(what, asked, reached, below, missing), "tested_small": sorted(small)}


def count_sanitizer(files):
    """Tests that passed in suites of which a tool reported nothing, once for each tool."""
    return count_tests(files, "tests passed under a tool without an error")


def partial(runs):
    """What is said of run files that lack processes, each with its file."""
    return [f"{PARTIAL}: {run['partial_reason']}" for run in runs if not run["complete"]]


def count_run(files):
    """Benchmarks that were measured, and failed or were skipped in no process. What a run that was cut short still owed of them stands in
    `missing` as one entry a run: the runner goes round after round, so that nearly every benchmark of such a run lacks a process."""
    states, below, missing = {}, [], []
    runs = [ratios.read_run(file) for file in files]
    for run in runs:
        unfinished = set() if run["complete"] else set(UNFINISHED.findall(run["partial_reason"]))
        for process in run["processes"]:
            benchmarks = (process.get("samples") or {}).get("benchmarks", [])
            for one in benchmarks:
                states.setdefault(one["id"], []).append((one["status"], one["reason"]))
            if process["status"] != "ok" and not any(one["status"] == "failed" for one in benchmarks):
                text = f"family {process['family']}: {process['reason']}"
                (missing if process["status"] in ("unavailable", "skipped", "interrupted") else below).append(text)
        missing += [f"family {name}: it was not begun" for name in unfinished - {one["family"] for one in run["processes"]}]
    below, missing = sorted(set(below)), sorted(set(missing))
    families, reached = len(below) + len(missing), 0
    for name, seen in sorted(states.items()):
        bad = [entry for entry in seen if entry[0] != "ok"]
        if len(bad) < len(seen) and all(status == "interrupted" for status, _ in bad):
            reached += 1
        elif any(status == "failed" for status, _ in bad):
            below.append(f"{name}: {next(reason for status, reason in bad if status == 'failed')}")
        else:
            missing.append(f"{name}: {bad[0][1]}")
    return summary("benchmarks measured", len(states) + families, reached, below, missing + partial(runs))


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
    """As count_run, of benchmarks that have batches: those with metrics of their own are not asked. One with too few batches for a p99
    gives no answer."""
    file, = files
    kept = count_run(files)
    broken = {entry.split(": ")[0] for entry in kept["below"] + kept["missing"] + kept["not_here"]}
    whole = {name: len(seconds) for name, (seconds, _) in sorted(batches_of(file).items()) if name not in broken}
    own = sum(batches == 0 for batches in whole.values())
    few = [f"{name}: {batches} batches, and a p99 needs {FEWEST_P99_BATCHES}" for name, batches in whole.items() if 0 < batches < FEWEST_P99_BATCHES]
    return summary("benchmarks with p50, p90 and p99", kept["asked"] + len(kept["not_here"]) - own, kept["reached"] - len(few) - own, kept["below"],
                   kept["missing"] + few + kept["not_here"])


def of_lines(what, formed, others):
    """The summary of lines of ratios.py; `others` gives no answer, either."""
    return summary(what, len(formed), sum(reached is True for _, reached in formed),
                   [f"{columns[0]}: {columns[2]} of {columns[3]}" for columns, reached in formed if reached is False],
                   [f"{columns[0]}: {columns[4]}" for columns, reached in formed if reached is None] + others)


def count_ratios(files, wanted=None):
    """Ratios that were formed and reach what was asked for; those of the libraries and the GPU's own rates unless `wanted` are others."""
    runs = [ratios.read_run(file) for file in files]
    asked = [ratio for ratio in wanted or ratios.with_peaks(runs) if ratio.least is not None]
    return of_lines("ratios reached", ratios.lines(asked, runs), partial(runs))


def count_spread(files):
    """Metrics of products, memory and launching of which the processes of a run differ as little as was asked for. What fewer processes
    than were asked for say counts, and that they were fewer is no answer."""
    runs = [ratios.read_run(file) for file in files]
    formed = ratios.spread_lines(runs)
    few = sum(reached is not None and int(columns[1]) < ratios.ASKED_PROCESSES for columns, reached in formed)
    fewer = [f"{FEWER} than {ratios.ASKED_PROCESSES} processes: {few} of {len(formed)} metrics"] if few else []
    return of_lines("metrics within the spread asked for", formed, fewer + partial(runs))


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


VERDICT_SECONDS = {"quick": 60, "smoke": 20}  # by the clock, of the whole command


def count_check(files):
    """Verdicts, passes or regressions, that came within the time asked for, and the one against a baseline, which is to be a pass."""
    *times, path = files
    asked, reached, below, missing = len(times) + 1, 0, [], []
    for one in map(load, times):
        seconds, most = one["end"] - one["begin"], VERDICT_SECONDS[one["profile"]]
        if one["exit_code"] not in (0, 1):
            missing.append(f"{one['profile']}: no verdict, the command ended with {one['exit_code']}")
        elif seconds > most:
            below.append(f"{one['profile']}: {seconds:.1f} s of {most} s")
        else:
            reached += 1
    try:
        report = load(path)
    except FileNotFoundError:
        missing.append("a check against its baseline: it left no report")
        return summary("verdicts in time, and a pass", asked, reached, below, missing)
    if report["outcome"]["exit_code"] == 0 and report["devices"] and all(device["baseline"] for device in report["devices"]):
        reached += 1
    else:
        below.append(f"a check against its baseline: {report['outcome']['sentence']}")
    return summary("verdicts in time, and a pass", asked, reached, below, missing)


KINDS = {"tests": count_tests, "run": count_run, "launch": count_launch, "ratios": count_ratios, "spread": count_spread, "doctor": count_doctor,
         "faults": count_faults, "check": count_check, "sanitizer": count_sanitizer, "pytorch": lambda files: count_ratios(files, ratios.PYTORCH)}


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
