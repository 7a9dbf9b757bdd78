#!/usr/bin/env python3
"""The hand-written kernels beside NVIDIA's libraries, beside PyTorch, or beside what an SM can do; and how far processes differ.

Usage: ratios.py [--pytorch] RUN_FILE... | ratios.py --spread RUN_FILE... | ratios.py [--pytorch] --ids | ratios.py [--pytorch] --asked

--ids prints the benchmarks of this project that the ratios need, one a line; what PyTorch does comes from `gpugauge frameworks
torch --output`. --asked prints the table as it is before any run: every row not yet measured. --spread prints instead how far the
processes of a run differ, for products, memory and launching. Else it prints a Markdown table: each kernel's median over the processes of all given run files, divided by the
best of what it is compared with in the same files. A ratio that lacks any of these is not formed, and says what it lacks; a
benchmark that failed counts as not measured. Ends with 0 when every ratio that could be formed reaches its bound, 1 when one does
not, 2 when a file cannot be read or none of the ratios could be formed.
"""
import json
import statistics
import sys
from collections import namedtuple

# kernel and others: metric keys (benchmark:metric); least: the ratio asked for. rate: instead of others, the dense operations of one
# SM in one clock of compute capability CAPABILITY. turns: the metric that is this ratio, where both were timed in turns in one process.
Ratio = namedtuple("Ratio", "kernel others least rate turns", defaults=(None, None))

CAPABILITY = "9.0"
# Of a spread: with fewer processes none is formed, and of fewer than are asked for its row says so.
FEWEST_PROCESSES, ASKED_PROCESSES = 3, 5
FAR = 5
# Class of a metric, or its beginning -> greatest robust coefficient of variation over processes.
SPREAD = (("gemm", 0.005), ("hbm", 0.005), ("launch", 0.02))

COPY = ["memory/copy/cold:bandwidth"]
ENGINE = "copy/d2d/1GiB:bandwidth"
LIBRARIES = (
    Ratio("gemm/bf16/wgmma/8192x8192x8192:throughput", ["cublas/bf16/lt/8192x8192x8192:throughput_best"], 1.00,
          turns="cublas/beside/bf16/8192x8192x8192:wgmma_over_best"),
    Ratio("gemm/bf16/wgmma/4096x4096x4096:throughput", ["cublas/bf16/lt/4096x4096x4096:throughput_best"], 1.00,
          turns="cublas/beside/bf16/4096x4096x4096:wgmma_over_best"),
    Ratio("gemm/fp8/wgmma/8192x8192x8192:throughput", ["cublas/fp8/lt_e4m3_fast/8192x8192x8192:throughput_best"], 0.95),
    Ratio("gemm/fp32/simt/4096x4096x4096:throughput", ["cublas/fp32/gemm_ex/4096x4096x4096:throughput",
                                                       "cublas/fp32/lt/4096x4096x4096:throughput_best"], 0.90),
    Ratio("gemm/bf16/mma_sync/8192x8192x8192:throughput", ["cublas/bf16/lt/8192x8192x8192:throughput_best"], 0.60),
    Ratio("memory/copy/cold:bandwidth", [ENGINE, "cub/transform/copy:bandwidth"], 0.98),
    Ratio("memory/triad/cold:bandwidth", [ENGINE, "cub/transform/triad:bandwidth"], 0.98),
    Ratio("memory/copy/bulk:bandwidth", [ENGINE, "cub/transform/copy:bandwidth"], 0.98),
    Ratio("memory/triad/bulk:bandwidth", [ENGINE, "cub/transform/triad:bandwidth"], 0.98),
    Ratio("primitive/reduce:bandwidth", ["cub/reduce:bandwidth"], 0.98),
    Ratio("primitive/scan/exclusive:bandwidth", ["cub/scan/exclusive:bandwidth"], 0.95),
    Ratio("primitive/histogram/256_bins:bandwidth", ["cub/histogram:bandwidth"], 0.95),
    *(Ratio(f"primitive/{rows}/rows_in_registers/{columns}:bandwidth", COPY, 0.95)
      for rows in ("softmax", "layer_norm", "rms_norm") for columns in (1024, 4096, 16384)),
    *(Ratio(f"primitive/transpose/tiled/{rows}:bandwidth", COPY, 0.95) for rows in (16384, 12352)),
    Ratio("primitive/attention/mma_sync/128/full/16384:throughput", ["cudnn/sdpa/bf16/1x32x16384x128/full:throughput_best"], 0.50),
)
# CUDA C++ Programming Guide, arithmetic throughput; Tensor Cores as in the HGX data sheets. Only instructions that are meant to reach
# the rate: mma.sync of 9.0 reaches about 60% of wgmma's, and m8n8k4 is its small fp64 instruction. Of dp4a no public rate was found. The
# guide's rate of 32-bit integers (64 multiply-adds, which the physical judge holds as an upper bound) is not asked for here.
PEAKS = (
    Ratio("peak/fp64/fma:flop_per_clock_per_sm", [], 0.95, 128),
    Ratio("peak/fp64/mma_sync_m16n8k16:flop_per_clock_per_sm", [], 0.95, 256),
    Ratio("peak/fp32/fma:flop_per_clock_per_sm", [], 0.95, 256),
    Ratio("peak/fp16/fma_x2:flop_per_clock_per_sm", [], 0.95, 512),
    Ratio("peak/tf32/wgmma:flop_per_clock_per_sm", [], 0.95, 2048),
    Ratio("peak/fp16/wgmma:flop_per_clock_per_sm", [], 0.95, 4096),
    Ratio("peak/bf16/wgmma:flop_per_clock_per_sm", [], 0.95, 4096),
    Ratio("peak/fp8/wgmma:flop_per_clock_per_sm", [], 0.95, 8192),
    Ratio("peak/int8/wgmma:operation_per_clock_per_sm", [], 0.95, 8192),
)
PYTORCH = (
    Ratio("memory/copy/cold:bandwidth", [ENGINE, "cub/transform/copy:bandwidth", "torch/copy/fp32/1GiB:bandwidth"], 0.98),
    Ratio("memory/triad/cold:bandwidth", [ENGINE, "cub/transform/triad:bandwidth", "torch/triad/fp32/1GiB:bandwidth"], 0.98),
    Ratio("gemm/bf16/wgmma/4096x4096x4096:throughput", ["torch/matmul/bf16/4096x4096x4096:throughput"], 1.00),
    Ratio("gemm/fp32/simt/4096x4096x4096:throughput", ["torch/matmul/fp32/4096x4096x4096:throughput"], 0.90),
)


def values(runs):
    """{metric key: [value of each process]} and {benchmark: why it was not measured}. Of a failed benchmark no figure counts, and
    of a GPU that is not of CAPABILITY no rate of its clock does."""
    found, reasons = {}, {}
    rates = {ratio.kernel for ratio in PEAKS}
    for run in runs:
        for process in run["processes"]:
            here = ((process.get("samples") or {}).get("context") or {}).get("gpu.compute_capability", "")
            for benchmark in (process.get("samples") or {}).get("benchmarks", []):
                if benchmark["status"] != "ok":
                    reasons.setdefault(benchmark["id"], benchmark["reason"])
                    continue
                for metric in benchmark["metrics"]:
                    key = f"{benchmark['id']}:{metric['name']}"
                    if key in rates and here != CAPABILITY:
                        reasons.setdefault(benchmark["id"], f"its rate is that of compute capability {CAPABILITY}, and the GPU's is {here or 'unknown'}")
                        continue
                    found.setdefault(key, []).append(metric["value"])
    return found, reasons


def line(ratio, found, reasons):
    """(columns of the table, reached: True, False or None)."""
    def middle(key):
        return statistics.median(found[key]) if key in found else None

    def why_not(key):
        return f"{key} was not measured" + (f" ({reasons[key.split(':')[0]]})" if key.split(":")[0] in reasons else "")

    asked = f"{ratio.least:.2f}"
    if ratio.turns:
        share = middle(ratio.turns)
        told = (ratio.kernel, f"{ratio.others[0]}, in turns", "" if share is None else f"{share:.3f}", asked)
        if share is None:
            return (*told, why_not(ratio.turns)), None
        return (*told, "reached" if share >= ratio.least else "below"), share >= ratio.least
    mine, others = middle(ratio.kernel), {key: middle(key) for key in ratio.others}
    if ratio.rate:
        others[f"{ratio.rate} of {CAPABILITY}"] = ratio.rate
    missing = [key for key, value in ((ratio.kernel, mine), *others.items()) if value is None]
    if missing:
        return (ratio.kernel, " or ".join(others), "", asked, "; ".join(why_not(key) for key in missing)), None
    best = max(others, key=others.get)
    share = mine / others[best]
    reached = share >= ratio.least
    return (ratio.kernel, best, f"{share:.3f}", asked, "reached" if reached else "below"), reached


def lines(ratios, runs):
    """What line() says of each."""
    found, reasons = values(runs)
    return [line(ratio, found, reasons) for ratio in ratios]


def spread_lines(runs):
    """(columns, reached) of each judged metric of a class of SPREAD. Of each run its own robust coefficient of variation, 1.4826 x the
    median deviation from the median / the median, and of several the largest. It does not see two of five processes that are far
    away; so the farthest process is shown, too, and those are counted that are farther than FAR times what is asked."""
    by_key, limits = {}, {}
    for run in runs:
        found, _ = values([run])
        for process in run["processes"]:
            for benchmark in (process.get("samples") or {}).get("benchmarks", []):
                for metric in benchmark["metrics"]:
                    limit = next((most for start, most in SPREAD if str(metric.get("class", "")).startswith(start)), None)
                    if limit is not None and metric.get("judged"):
                        limits[f"{benchmark['id']}:{metric['name']}"] = limit
        for key in limits:
            if key in found:
                by_key.setdefault(key, []).append(found[key])
    out = []
    for key, limit in sorted(limits.items()):
        asked = f"{100 * limit:.1f}%"
        fewest = min(map(len, by_key.get(key, [[]])))
        if fewest < FEWEST_PROCESSES or any(statistics.median(one) == 0 for one in by_key[key]):
            out.append(((key, str(fewest), "", "", asked, f"needs {FEWEST_PROCESSES} processes and a median that is not 0"), None))
            continue
        spread = max(1.4826 * statistics.median(abs(one - statistics.median(of)) for one in of) / abs(statistics.median(of))
                     for of in by_key[key])
        away = [abs(one / statistics.median(of) - 1) for of in by_key[key] for one in of]
        far = [one for one in away if one > FAR * limit]
        said = "reached" if spread <= limit else "above"
        if spread <= limit and far:
            said += f", but {len(far)} of {len(away)} far away"
        if fewest < ASKED_PROCESSES:
            said += f", and {ASKED_PROCESSES} processes are asked for"
        out.append(((key, str(fewest), f"{100 * spread:.2f}%", f"{100 * max(away):.2f}%", asked, said), spread <= limit))
    return out


RATIO_HEAD = "| kernel | compared with | ratio | asked | |\n|---|---|---|---|---|\n"
SPREAD_HEAD = "| metric | processes | spread | farthest | at most | |\n|---|---|---|---|---|---|\n"


def table(formed, head):
    """The Markdown text and the exit code of lines."""
    text = head
    text += "".join("| " + " | ".join(columns) + " |\n" for columns, _ in formed)
    states = [reached for _, reached in formed if reached is not None]
    if not states:
        return text, 2
    return text, 0 if all(states) else 1


def asked(ratios):
    """The table before any run."""
    return RATIO_HEAD + "".join("| " + " | ".join(columns[:4] + ("not yet measured",)) + " |\n" for columns, _ in lines(ratios, []))


def ids(ratios):
    """Every benchmark of this project that a ratio needs, sorted."""
    names = {key.split(":")[0] for ratio in ratios for key in [ratio.kernel, *ratio.others, *filter(None, [ratio.turns])]}
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
    ratios = PYTORCH if "--pytorch" in arguments else LIBRARIES + PEAKS
    paths = [argument for argument in arguments if argument not in ("--pytorch", "--spread")]
    if paths == ["--ids"]:
        print("\n".join(ids(ratios)))
        return 0
    if paths == ["--asked"]:
        print(asked(ratios), end="")
        return 0
    if not paths or any(path.startswith("--") for path in paths):
        print(__doc__, file=sys.stderr, end="")
        return 2
    runs = []
    for path in paths:
        try:
            runs.append(read_run(path))
        except (OSError, ValueError) as error:
            print(f"ratios.py: {path}: {error}", file=sys.stderr)
            return 2
    try:
        text, code = table(spread_lines(runs), SPREAD_HEAD) if "--spread" in arguments else table(lines(ratios, runs), RATIO_HEAD)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:  # Python's own end would say that a ratio falls short
        print(f"ratios.py: {' '.join(paths)}: not as a run file is: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print(text, end="")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
