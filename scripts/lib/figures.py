#!/usr/bin/env python3
"""Writes docs/figures.md from what is recorded in baselines: ratios, spread, results, percentiles of launching, the ladder of products.

Usage: figures.py            says whether docs/figures.md is what the recordings say
       figures.py --write    writes it

Every figure of that page comes from here; nothing is rounded but for showing. Ends with 0, with 1 when the page is stale, with 2
when a recording cannot be read.
"""
import pathlib
import statistics
import sys

import ratios
import whole
from counts import load
from kept import told

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "figures.md"
HEAD = """# Figures from GPUs

Written by `python3 scripts/lib/figures.py --write` from the recordings in [baselines](../baselines/README.md); a test says when it is stale.
[Testing](testing.md#what-a-gpu-must-prove) says what each recording is to prove and how one is made, [measuring](measuring.md) what the
figures mean. Nothing here is an average over GPUs. What a recording does not hold was not measured.
"""
PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"))
UNITS = {"byte/second": "B/s", "flop/second": "FLOP/s", "operation/second": "op/s", "second": "s", "byte": "B", "hertz": "Hz",
         "flop/clock": "FLOP/clock"}
PERCENTILES = ("p50", "p90", "p99")


def shown(value, unit):
    """Four digits with a prefix and a short unit; a bare number where the unit has none."""
    short = UNITS.get(unit)
    if short is None or short.endswith("/clock"):
        return f"{value:.4g}" + (f" {short}" if short else "")
    factor, prefix = next(((factor, prefix) for factor, prefix in PREFIXES if abs(value) >= factor), PREFIXES[-1])
    return f"{value / factor:.4g} {prefix}{short}"


def rows(head, lines):
    """A Markdown table."""
    return f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def of_build(provenance):
    """"commit abc..." of the build that measured."""
    return "commit " + provenance["build"].split("(commit ")[1].split(")")[0]


def recordings(folder):
    """(name, provenance, summary or None) of what is recorded of a model, by date."""
    found = []
    for file in sorted(folder.glob("*/provenance.json")):
        summary = file.parent / "summary.json"
        found.append((file.parent.name, load(file), load(summary) if summary.exists() else None))
    return sorted(found, key=lambda entry: entry[1]["date"])


def overview(entries):
    """What was recorded of which GPU when, and how much of what was asked it reached."""
    def reached(provenance, summary):
        if summary is None:
            return "no stage: sample files"
        below = f"; below: {', '.join(summary['below'])}" if summary["below"] and len(summary["below"]) <= 3 else ""
        return told(provenance, summary).split(";")[0] + below

    return rows(("recording", "GPU", "driver", "date", "build", "reached"),
                [(name, f"`{provenance['gpu_uuid'][4:12]}`", provenance["driver"], provenance["date"].replace("T", " "), of_build(provenance),
                  reached(provenance, summary)) for name, provenance, summary in entries])


def measured(run):
    """Every judged metric of a run, over its processes."""
    values, units = {}, {}
    for process in run["processes"]:
        for benchmark in (process.get("samples") or {}).get("benchmarks", []):
            for metric in benchmark["metrics"] if benchmark["status"] == "ok" else []:
                if metric["judged"]:
                    key = (benchmark["id"], metric["name"])
                    values.setdefault(key, []).append(metric["value"])
                    units[key] = metric["unit"]
    return rows(("benchmark", "metric", "median", "lowest", "highest", "processes"),
                [(name, metric, *(shown(take(of), units[name, metric]) for take in (statistics.median, min, max)), str(len(of)))
                 for (name, metric), of in sorted(values.items())])


def launching(samples):
    """Percentiles over single operations, of each benchmark of a sample file that has them."""
    lines = []
    for benchmark in samples["benchmarks"]:
        found = {metric["name"]: metric for metric in benchmark["metrics"]}
        of = [found.get(f"operation_{name}") for name in PERCENTILES]
        if benchmark["status"] == "ok" and of[0]:
            lines.append((benchmark["id"], *(shown(one["value"], one["unit"]) if one and one["judged"] else "too few operations" for one in of),
                          benchmark["notes"].get("operations_timed", "")))
    return rows(("benchmark", *PERCENTILES, "operations"), lines)


def rates(samples, start):
    """Throughput, and what an SM does in a clock, of the benchmarks whose id begins so."""
    lines = []
    for benchmark in samples["benchmarks"]:
        if benchmark["status"] == "ok" and benchmark["id"].startswith(start):
            found = {metric["name"]: metric for metric in benchmark["metrics"]}
            rate = found.get("throughput") or found.get("rate")
            clock = found.get("flop_per_clock_per_sm") or found.get("operation_per_clock_per_sm")
            lines.append((benchmark["id"], shown(rate["value"], rate["unit"]), f"{clock['value']:.4g}" if clock else ""))
    return rows(("benchmark", "rate", "operations an SM and clock"), lines)


def source(folder, name):
    """Whose figures these are, one sentence."""
    provenance = load(folder / name / "provenance.json")
    said = f"Recorded {provenance['date'][:10]} on `{provenance['gpu_uuid'][4:12]}` by {of_build(provenance)} (`{name}`)"
    if not (folder / name / "summary.json").exists():
        said += f", to prove {provenance['proves']}"
    return said + ".\n\n"


def model(folder):
    """The section of one model; nothing where none is recorded, as of a baseline that is shipped."""
    entries = recordings(folder)
    if not entries:
        return ""
    text = f"\n## {folder.name}\n\n{overview(entries)}"
    if (folder / "ratios").exists():
        run = load(folder / "ratios" / "ratios-run.json")
        text += "\n### Beside NVIDIA's libraries, and the rates of instructions\n\n" + source(folder, "ratios")
        named = ratios.names_in(sorted((folder / "ratios").glob("kernels-*.json")))
        text += ratios.table(ratios.lines(ratios.with_peaks([run]), [run], named), ratios.RATIO_HEAD)[0]
        if (folder / "pytorch").exists():
            text += "\n### Beside PyTorch\n\n" + source(folder, "pytorch")
            torch = [load(folder / "pytorch" / "pytorch-run.json"), run]
            text += ratios.table(ratios.lines(ratios.PYTORCH, torch), ratios.RATIO_HEAD)[0]
    if (folder / "run").exists():
        run = load(folder / "run" / "run.json")
        text += f"\n### The profile {run['profile']}\n\n{source(folder, 'run')}{measured(run)}"
        text += "\n### Spread between processes\n\n"
        text += ratios.table(ratios.spread_lines([run]), ratios.SPREAD_HEAD)[0]
    if (folder / "first-look").exists():
        text += "\n### Launching, one process\n\n" + source(folder, "first-look") + launching(load(folder / "first-look" / "launch.json"))
        text += "\n### The ladder of products, one process\n\n" + source(folder, "first-look") + rates(load(folder / "first-look" / "gemm.json"), "gemm/")
        text += "\n### Peaks of instructions, one process\n\n" + source(folder, "first-look") + rates(load(folder / "first-look" / "peak.json"), "peak/")
    return text


def main(arguments):
    """The command; its exit code."""
    if arguments not in ([], ["--write"]):
        print(__doc__, file=sys.stderr, end="")
        return 2
    try:
        text = HEAD + "".join(model(one) for one in sorted((ROOT / "baselines").iterdir()) if one.is_dir())
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        print(f"figures.py: a recording cannot be read: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    if arguments:
        whole.write(PAGE, text)
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/figures.md is not what the recordings say; write it anew with python3 scripts/lib/figures.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
