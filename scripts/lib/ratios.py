#!/usr/bin/env python3
"""The hand-written kernels beside NVIDIA's libraries, beside PyTorch, or beside what an SM can do; and how far processes differ.

Usage: ratios.py [--pytorch] [--kernels SAMPLE_FILE]... RUN_FILE... | ratios.py --spread RUN_FILE...
       ratios.py [--pytorch] --ids | ratios.py [--pytorch] --asked | ratios.py --compared FAMILY

--ids prints the benchmarks of this project that the ratios need, one a line; what PyTorch does comes from `gpugauge frameworks
torch --output`. --compared prints the --benchmark_filter of those of a library's family that kernels are compared with. --kernels: of
their samples only the names of kernels are taken, which are shown beside what was compared with; no figure of them counts. --asked prints the table as it is before any run: every row not yet measured. --spread prints instead how far the
processes of a run differ, for products, memory and launching. Else it prints a Markdown table: each kernel's median over the processes of all given run files, divided by the
best of what it is compared with in the same files. A ratio that lacks any of these is not formed, and says what it lacks; a
benchmark that failed counts as not measured. Ends with 0 when every ratio that could be formed reaches its bound, 1 when one does
not, 2 when a run file cannot be read or none of the ratios could be formed.
"""
import json
import statistics
import sys
from collections import namedtuple

import peak_rates

# kernel and others: metric keys (benchmark:metric); least: the ratio asked for, None for one that is only reported. rate: instead of
# others, (dense operations of one SM in one clock, the compute capability whose rate that is). turns: the metric that is this ratio,
# where both were timed in turns in one process. why: the reason for which it cannot be formed.
Ratio = namedtuple("Ratio", "kernel others least rate turns why", defaults=(None, None, None))

# Of the rate of an instruction that is meant to reach it.
LEAST_OF_RATE = 0.95
LONGEST_NAME = 100  # of kernels in the table; the sample file holds the whole name
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
    *(Ratio(f"primitive/attention/mma_sync/128/{mask}/16384:throughput", [f"cudnn/sdpa/bf16/1x32x16384x128/{mask}:throughput_best"], 0.50)
      for mask in ("full", "causal")),
)
PYTORCH = (
    Ratio("memory/copy/cold:bandwidth", [ENGINE, "cub/transform/copy:bandwidth", "torch/copy/fp32/1GiB:bandwidth"], 0.98),
    Ratio("memory/triad/cold:bandwidth", [ENGINE, "cub/transform/triad:bandwidth", "torch/triad/fp32/1GiB:bandwidth"], 0.98),
    Ratio("gemm/bf16/wgmma/4096x4096x4096:throughput", ["torch/matmul/bf16/4096x4096x4096:throughput"], 1.00),
    Ratio("gemm/fp32/simt/4096x4096x4096:throughput", ["torch/matmul/fp32/4096x4096x4096:throughput"], 0.90),
)


def gpus(runs):
    """{(compute capability, name)} of the GPUs whose processes measured anything."""
    contexts = [(process.get("samples") or {}).get("context") or {} for run in runs for process in run["processes"]]
    return {(one["gpu.compute_capability"], one.get("gpu.name", "")) for one in contexts if one.get("gpu.compute_capability")}


def peaks_of(capability, model=""):
    """What the instructions of a GPU are held against; one that is not meant to reach its rate is only reported."""
    return [Ratio(rate.metric, [], LEAST_OF_RATE if rate.gated else None, (rate.rate, capability))
            for rate in peak_rates.rates(capability, model)]


def with_peaks(runs):
    """LIBRARIES, and the rates of the GPU of these runs; of all compute capabilities where there is no run. A rate that nothing is asked
    of has a row only where it was measured. Of several GPUs a clock's rate is of none, and a GPU without a known rate has none."""
    kinds = sorted(gpus(runs))
    if not kinds:
        return [*LIBRARIES, *(one for each in peak_rates.capabilities() for one in peaks_of(each) if one.least is not None)]
    measured, _ = values(runs)
    peaks = peaks_of(*kinds[0]) if len(kinds) == 1 else []
    if not peaks:
        said = " and ".join(f"{name or 'a GPU'} of compute capability {capability}" for capability, name in kinds)
        why = f"no rate is known of {said}" if len(kinds) == 1 else f"the runs are of different GPUs: {said}"
        peaks = [Ratio("peak/*", [], LEAST_OF_RATE, why=why)]
    return [*LIBRARIES, *(one for one in peaks if one.least is not None or one.kernel in measured)]


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


def kernels(samples):
    """{metric key: names of the kernels by which a library reached it} of sample files."""
    found = {}
    for one in samples:
        for benchmark in one["benchmarks"]:
            notes = benchmark.get("notes", {})
            for metric in benchmark["metrics"]:
                best = notes.get("kernel_best") if metric["name"].endswith("_best") else None
                if best or notes.get("kernel"):
                    found.setdefault(f"{benchmark['id']}:{metric['name']}", best or notes["kernel"])
    return found


def with_kernel(text, key, names):
    """The text, and by which kernel a library reached what is compared with."""
    name = names.get(key, "").replace("|", "\\|")
    return f"{text}, by `{name[:LONGEST_NAME]}{'...' if len(name) > LONGEST_NAME else ''}`" if name else text


def compared(family):
    """A filter of the family's benchmarks that kernels are compared with: a regular expression that Google Benchmark takes."""
    own = [name for name in ids([one._replace(turns=None, kernel="") for one in LIBRARIES]) if name.startswith(f"{family}/")]
    return f"^({'|'.join(own)})$"


def line(ratio, found, reasons, names=None):
    """(columns of the table, reached: True, False or None). `reached` is None also where nothing is asked for. `names`: of kernels()."""
    names = names or {}

    def middle(key):
        return statistics.median(found[key]) if key in found else None

    def why_not(key):
        return f"{key} was not measured" + (f" ({reasons[key.split(':')[0]]})" if key.split(":")[0] in reasons else "")

    asked = "" if ratio.least is None else f"{ratio.least:.2f}"
    if ratio.why:
        return (ratio.kernel, "", "", asked, ratio.why), None
    if ratio.turns:
        share = middle(ratio.turns)
        told = (ratio.kernel, with_kernel(f"{ratio.others[0]}, in turns", ratio.others[0], names), "" if share is None else f"{share:.3f}", asked)
        if share is None:
            return (*told, why_not(ratio.turns)), None
        return (*told, "reached" if share >= ratio.least else "below"), share >= ratio.least
    mine, others = middle(ratio.kernel), {key: middle(key) for key in ratio.others}
    if ratio.rate:
        rate, capability = ratio.rate
        others[f"{rate:g} of {capability}"] = rate
    missing = [key for key, value in ((ratio.kernel, mine), *others.items()) if value is None]
    if missing:
        return (ratio.kernel, " or ".join(others), "", asked, "; ".join(why_not(key) for key in missing)), None
    best = max(others, key=others.get)
    share = mine / others[best]
    if ratio.least is None:
        return (ratio.kernel, with_kernel(best, best, names), f"{share:.3f}", asked, "only reported: not the instruction that is meant to reach it"), None
    reached = share >= ratio.least
    return (ratio.kernel, with_kernel(best, best, names), f"{share:.3f}", asked, "reached" if reached else "below"), reached


def lines(ratios, runs, names=None):
    """What line() says of each; `names`: of kernels()."""
    found, reasons = values(runs)
    return [line(ratio, found, reasons, names) for ratio in ratios]


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
    """Every benchmark of this project that a ratio of any GPU needs, sorted."""
    names = {key.split(":")[0] for ratio in ratios for key in filter(None, [ratio.kernel, *ratio.others, ratio.turns])}
    return sorted(name for name in names if not name.startswith("torch/"))


def read_file(path, schema, what):
    """A file's content; ValueError or OSError where it is none of this schema."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    if not isinstance(content, dict) or content.get("schema") != schema:
        raise ValueError(f"not a {what} file of schema {schema}")
    return content


def read_run(path):
    """A run file's content; ValueError or OSError where it is none."""
    return read_file(path, "gpugauge.run/1", "run")


def read_samples(path):
    """A sample file's content; ValueError or OSError where it is none."""
    return read_file(path, "gpugauge.samples/1", "sample")


def names_in(paths):
    """kernels() of these sample files. One that cannot be read is named on stderr and has none: no figure depends on it."""
    names = {}
    for path in paths:
        try:
            names.update(kernels([read_samples(path)]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            print(f"ratios.py: {path}: no names of kernels are taken from it: {type(error).__name__}: {error}", file=sys.stderr)
    return names


def main(arguments):
    """The command; its exit code."""
    pytorch = "--pytorch" in arguments
    paths, named = [], []
    rest = iter(argument for argument in arguments if argument not in ("--pytorch", "--spread"))
    for argument in rest:
        (named if argument == "--kernels" else paths).append(next(rest, "--") if argument == "--kernels" else argument)
    if paths == ["--ids"]:
        peaks = [] if pytorch else [Ratio(one.metric, [], None) for one in peak_rates.INSTRUCTIONS]
        print("\n".join(ids([*(PYTORCH if pytorch else LIBRARIES), *peaks])))
        return 0
    if paths == ["--asked"]:
        print(asked(PYTORCH if pytorch else with_peaks([])), end="")
        return 0
    if len(paths) == 2 and paths[0] == "--compared":
        print(compared(paths[1]))
        return 0
    if not paths or any(path.startswith("--") for path in paths + named):
        print(__doc__, file=sys.stderr, end="")
        return 2
    runs = []
    for path in paths:
        try:
            runs.append(read_run(path))
        except (OSError, ValueError) as error:
            print(f"ratios.py: {path}: {error}", file=sys.stderr)
            return 2
    names = names_in(named)
    try:
        if "--spread" in arguments:
            text, code = table(spread_lines(runs), SPREAD_HEAD)
        else:
            text, code = table(lines(PYTORCH if pytorch else with_peaks(runs), runs, names), RATIO_HEAD)
    except peak_rates.Unreadable as error:
        print(f"ratios.py: {error}", file=sys.stderr)
        return 2
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:  # Python's own end would say that a ratio falls short
        print(f"ratios.py: {' '.join(paths)}: not as a run file is: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print(text, end="")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
