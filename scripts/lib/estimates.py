#!/usr/bin/env python3
"""What processes and benchmarks took beside their windows, against what their families state.

    estimates.py BUILD RUN...

BUILD: a build folder with gpugauge. RUN: run files of it (gpugauge run --output). For each family: what a process
took to start (until its first benchmark began) and to end, and what a benchmark took beside its window, as medians
over processes, beside the numbers of bench/<family>/gpugauge_family.cmake. Runs of a version without timelines are
refused.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys


def stated(build):
    """id -> (start, beside) in seconds, as the build estimates."""
    command = [str(build / "bin" / "gpugauge"), "list", "--profile", "exhaustive", "--json"]
    listed = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {one["id"]: (one["process_start_seconds"], one["estimated_seconds"] - one["window_seconds"])
            for one in listed}


def steps(benchmark):
    """(preparing, warming up, checking) in seconds; one number, all but the batches, where it timed by itself."""
    when, window = benchmark["timeline"], benchmark["batches"]["window_seconds"]
    if "timed" not in when:
        return (when["ended"] - when["began"] - window,)
    return (when["warming"] - when["began"], when["timed"] - window - when["warming"], when["ended"] - when["timed"])


def measured(files):
    """family -> {"start": [], "end": []}, and id -> [steps]."""
    families, benchmarks = {}, {}
    for file in files:
        for process in json.loads(file.read_text())["processes"]:
            done = [one for one in process.get("samples", {}).get("benchmarks", []) if one["status"] == "ok"]
            if not done:
                continue
            if any("timeline" not in one for one in done):
                raise SystemExit(f"estimates.py: {file}: a process of {process['family']} has no timeline: "
                                 "measure anew with this version")
            times = families.setdefault(process["family"], {"start": [], "end": []})
            times["start"].append(min(one["timeline"]["began"] for one in done))
            times["end"].append(process["wall_seconds"] - max(one["timeline"]["ended"] for one in done))
            for one in done:
                benchmarks.setdefault(one["id"], []).append(steps(one))
    return families, benchmarks


def middle(rows):
    """The median of each step; rows of one benchmark have equally many."""
    return [statistics.median(column) for column in zip(*rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("runs", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    said = stated(options.build)
    families, benchmarks = measured(options.runs)
    if not families:
        raise SystemExit("estimates.py: no benchmark of these runs was measured")
    width = max(map(len, [*benchmarks, *families])) + 14
    print(f"{'seconds, medians':<{width}}stated  took   of that")
    for family, times in sorted(families.items()):
        own = {name: middle(rows) for name, rows in benchmarks.items() if name.startswith(family + "/")}
        start, end = (statistics.median(times[key]) for key in ("start", "end"))
        known = [said[name][0] for name in own if name in said]
        stated_start = f"{known[0]:6.2f}" if known else "     -"
        print(f"{family + ': a process':<{width}}{stated_start}{start + end:6.2f}   {start:.2f} start, {end:.2f} end")
        for name, took in sorted(own.items(), key=lambda pair: -sum(pair[1])):
            text = f"{said[name][1]:6.2f}" if name in said else "     -"
            words = ("prepare", "warm up", "check") if len(took) > 1 else ("beside its batches",)
            parts = ", ".join(f"{value:.2f} {word}" for value, word in zip(took, words))
            print(f"  {name:<{width - 2}}{text}{sum(took):6.2f}   {parts}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
