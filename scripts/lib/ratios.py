#!/usr/bin/env python3
"""The hand-written kernels beside NVIDIA's libraries, or beside PyTorch: ratios of one run.

Usage: ratios.py [--pytorch] RUN_FILE... | ratios.py [--pytorch] --ids

--ids prints the benchmarks of this project that the ratios need, one a line; what PyTorch does comes from `gpugauge frameworks
torch --output`. Else it prints a Markdown table: each kernel's median over the processes of all given run files, divided by the
best of what it is compared with in the same files. A ratio that lacks any of these is not formed, and says what it lacks; a
benchmark that failed counts as not measured. Ends with 0 when every ratio that could be formed reaches its bound, 1 when one does
not, 2 when a file cannot be read or none of the ratios could be formed.
"""
import json
import statistics
import sys
from collections import namedtuple

# kernel and others: metric keys (benchmark:metric); least: the ratio asked for.
Ratio = namedtuple("Ratio", "kernel others least")

COPY = ["memory/copy/cold:bandwidth"]
ENGINE = "copy/d2d/1GiB:bandwidth"
LIBRARIES = (
    Ratio("gemm/bf16/wgmma/8192x8192x8192:throughput", ["cublas/bf16/lt/8192x8192x8192:throughput_best"], 1.00),
    Ratio("gemm/bf16/wgmma/4096x4096x4096:throughput", ["cublas/bf16/lt/4096x4096x4096:throughput_best"], 1.00),
    Ratio("gemm/fp8/wgmma/8192x8192x8192:throughput", ["cublas/fp8/lt_e4m3_fast/8192x8192x8192:throughput_best"], 0.95),
    Ratio("gemm/fp32/simt/4096x4096x4096:throughput", ["cublas/fp32/gemm_ex/4096x4096x4096:throughput",
                                                       "cublas/fp32/lt/4096x4096x4096:throughput_best"], 0.90),
    Ratio("gemm/bf16/mma_sync/8192x8192x8192:throughput", ["cublas/bf16/lt/8192x8192x8192:throughput_best"], 0.60),
    Ratio("memory/copy/cold:bandwidth", [ENGINE, "cub/transform/copy:bandwidth"], 0.98),
    Ratio("memory/triad/cold:bandwidth", [ENGINE, "cub/transform/triad:bandwidth"], 0.98),
    Ratio("primitive/reduce:bandwidth", ["cub/reduce:bandwidth"], 0.98),
    Ratio("primitive/scan/exclusive:bandwidth", ["cub/scan/exclusive:bandwidth"], 0.95),
    Ratio("primitive/histogram/256_bins:bandwidth", ["cub/histogram:bandwidth"], 0.95),
    Ratio("primitive/softmax/rows_in_registers/4096:bandwidth", COPY, 0.95),
    Ratio("primitive/layer_norm/rows_in_registers/4096:bandwidth", COPY, 0.95),
    Ratio("primitive/rms_norm/rows_in_registers/4096:bandwidth", COPY, 0.95),
    Ratio("primitive/transpose/tiled/16384:bandwidth", COPY, 0.95),
    Ratio("primitive/attention/mma_sync/128/full/16384:throughput", ["cudnn/sdpa/bf16/1x32x16384x128/full:throughput_best"], 0.50),
)
PYTORCH = (
    Ratio("memory/copy/cold:bandwidth", [ENGINE, "cub/transform/copy:bandwidth", "torch/copy/fp32/1GiB:bandwidth"], 0.98),
    Ratio("memory/triad/cold:bandwidth", [ENGINE, "cub/transform/triad:bandwidth", "torch/triad/fp32/1GiB:bandwidth"], 0.98),
    Ratio("gemm/bf16/wgmma/4096x4096x4096:throughput", ["torch/matmul/bf16/4096x4096x4096:throughput"], 1.00),
    Ratio("gemm/fp32/simt/4096x4096x4096:throughput", ["torch/matmul/fp32/4096x4096x4096:throughput"], 0.90),
)


def values(runs):
    """{metric key: [value of each process]} and {benchmark: why it was not measured}. Of a failed benchmark no figure counts."""
    found, reasons = {}, {}
    for run in runs:
        for process in run["processes"]:
            for benchmark in (process.get("samples") or {}).get("benchmarks", []):
                if benchmark["status"] != "ok":
                    reasons.setdefault(benchmark["id"], benchmark["reason"])
                    continue
                for metric in benchmark["metrics"]:
                    found.setdefault(f"{benchmark['id']}:{metric['name']}", []).append(metric["value"])
    return found, reasons


def line(ratio, found, reasons):
    """(columns of the table, reached: True, False or None)."""
    def middle(key):
        return statistics.median(found[key]) if key in found else None

    def why_not(key):
        return f"{key} was not measured" + (f" ({reasons[key.split(':')[0]]})" if key.split(":")[0] in reasons else "")

    mine, others = middle(ratio.kernel), {key: middle(key) for key in ratio.others}
    asked = f"{ratio.least:.2f}"
    missing = [key for key, value in ((ratio.kernel, mine), *others.items()) if value is None]
    if missing:
        return (ratio.kernel, " or ".join(ratio.others), "", asked, "; ".join(why_not(key) for key in missing)), None
    best = max(others, key=others.get)
    share = mine / others[best]
    reached = share >= ratio.least
    return (ratio.kernel, best, f"{share:.3f}", asked, "reached" if reached else "below"), reached


def lines(ratios, runs):
    """What line() says of each."""
    found, reasons = values(runs)
    return [line(ratio, found, reasons) for ratio in ratios]


def table(ratios, runs):
    """The Markdown text and the exit code."""
    formed = lines(ratios, runs)
    text = "| kernel | compared with | ratio | asked | |\n|---|---|---|---|---|\n"
    text += "".join("| " + " | ".join(columns) + " |\n" for columns, _ in formed)
    states = [reached for _, reached in formed if reached is not None]
    if not states:
        return text, 2
    return text, 0 if all(states) else 1


def ids(ratios):
    """Every benchmark of this project that a ratio needs, sorted."""
    names = {key.split(":")[0] for ratio in ratios for key in [ratio.kernel, *ratio.others]}
    return sorted(name for name in names if not name.startswith("torch/"))


def read_run(path):
    """A run file's content; ValueError or OSError where it is none."""
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    if not isinstance(run, dict) or run.get("schema") != "gpugauge.run/1":
        raise ValueError("not a run file of schema gpugauge.run/1")
    return run


def main(arguments):
    """The command; its exit code."""
    ratios = PYTORCH if "--pytorch" in arguments else LIBRARIES
    paths = [argument for argument in arguments if argument != "--pytorch"]
    if paths == ["--ids"]:
        print("\n".join(ids(ratios)))
        return 0
    if not paths:
        print(__doc__, file=sys.stderr, end="")
        return 2
    runs = []
    for path in paths:
        try:
            runs.append(read_run(path))
        except (OSError, ValueError) as error:
            print(f"ratios.py: {path}: {error}", file=sys.stderr)
            return 2
    text, code = table(ratios, runs)
    print(text, end="")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
