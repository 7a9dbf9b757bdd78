#!/usr/bin/env python3
"""The hand-written kernels beside NVIDIA's libraries: ratios of one run. Usage: ratios.py RUN_FILE... | ratios.py --ids

--ids prints the benchmarks that it needs, one a line. Else it prints a Markdown table: each kernel's median over the processes of all given run files, divided by the best of what it is
compared with in the same files. A ratio that cannot be formed says why. Ends with 0 when every ratio that could be formed
reaches its bound, 1 when one does not, 2 when a file cannot be read or none of the ratios could be formed.
"""
import json
import statistics
import sys
from collections import namedtuple

# kernel and others: metric keys (benchmark:metric); least: the ratio asked for.
Ratio = namedtuple("Ratio", "kernel others least")

COPY = ["memory/copy/cold:bandwidth"]
RATIOS = (
    Ratio("gemm/bf16/wgmma/8192x8192x8192:throughput", ["cublas/bf16/lt/8192x8192x8192:throughput_best"], 1.00),
    Ratio("gemm/bf16/wgmma/4096x4096x4096:throughput", ["cublas/bf16/lt/4096x4096x4096:throughput_best"], 1.00),
    Ratio("gemm/fp8/wgmma/8192x8192x8192:throughput", ["cublas/fp8/lt_e4m3/8192x8192x8192:throughput_best"], 0.95),
    Ratio("gemm/fp32/simt/4096x4096x4096:throughput", ["cublas/fp32/gemm_ex/4096x4096x4096:throughput",
                                                       "cublas/fp32/lt/4096x4096x4096:throughput_best"], 0.90),
    Ratio("gemm/bf16/mma_sync/8192x8192x8192:throughput", ["cublas/bf16/lt/8192x8192x8192:throughput_best"], 0.60),
    Ratio("memory/copy/cold:bandwidth", ["copy/d2d/1GiB:bandwidth"], 0.98),
    Ratio("memory/triad/cold:bandwidth", ["copy/d2d/1GiB:bandwidth"], 0.98),
    Ratio("primitive/reduce:bandwidth", ["cub/reduce:bandwidth"], 0.98),
    Ratio("primitive/scan/exclusive:bandwidth", ["cub/scan/exclusive:bandwidth"], 0.95),
    Ratio("primitive/histogram/256_bins:bandwidth", ["cub/histogram:bandwidth"], 0.95),
    Ratio("primitive/softmax/rows_in_registers/4096:bandwidth", COPY, 0.95),
    Ratio("primitive/layer_norm/rows_in_registers/4096:bandwidth", COPY, 0.95),
    Ratio("primitive/rms_norm/rows_in_registers/4096:bandwidth", COPY, 0.95),
    Ratio("primitive/transpose/tiled/16384:bandwidth", COPY, 0.95),
    Ratio("primitive/attention/mma_sync/128/full/4096:throughput", ["cudnn/sdpa/bf16/4x32x4096x128/full:throughput_best"], 0.50),
)


def values(runs):
    """{metric key: [value of each process]} and {benchmark: why it was not measured}."""
    found, reasons = {}, {}
    for run in runs:
        for process in run["processes"]:
            for benchmark in (process.get("samples") or {}).get("benchmarks", []):
                if benchmark["status"] != "ok":
                    reasons.setdefault(benchmark["id"], benchmark["reason"])
                for metric in benchmark["metrics"]:
                    found.setdefault(f"{benchmark['id']}:{metric['name']}", []).append(metric["value"])
    return found, reasons


def line(ratio, found, reasons):
    """(columns of the table, reached: True, False or None)."""
    def middle(key):
        return statistics.median(found[key]) if key in found else None

    def why_not(key):
        return f"{key} was not measured" + (f" ({reasons[key.split(':')[0]]})" if key.split(":")[0] in reasons else "")

    mine, others = middle(ratio.kernel), {key: middle(key) for key in ratio.others if key in found}
    asked = f"{ratio.least:.2f}"
    if mine is None or not others:
        return (ratio.kernel, " or ".join(ratio.others), "", asked, why_not(ratio.kernel if mine is None else ratio.others[0])), None
    best = max(others, key=others.get)
    share = mine / others[best]
    reached = share >= ratio.least
    return (ratio.kernel, best, f"{share:.3f}", asked, "reached" if reached else "below"), reached


def table(runs):
    """The Markdown text and the exit code."""
    found, reasons = values(runs)
    lines = [line(ratio, found, reasons) for ratio in RATIOS]
    text = "| kernel | compared with | ratio | asked | |\n|---|---|---|---|---|\n"
    text += "".join("| " + " | ".join(columns) + " |\n" for columns, _ in lines)
    states = [reached for _, reached in lines if reached is not None]
    if not states:
        return text, 2
    return text, 0 if all(states) else 1


def ids():
    """Every benchmark that a ratio needs, sorted."""
    return sorted({key.split(":")[0] for ratio in RATIOS for key in [ratio.kernel, *ratio.others]})


def main(paths):
    if paths == ["--ids"]:
        print("\n".join(ids()))
        return 0
    if not paths:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    runs = []
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                run = json.load(file)
            if run.get("schema") != "gpugauge.run/1":
                raise ValueError("not a run file of schema gpugauge.run/1")
        except (OSError, ValueError, AttributeError) as error:
            print(f"ratios.py: {path}: {error}", file=sys.stderr)
            return 2
        runs.append(run)
    text, code = table(runs)
    print(text, end="")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
