"""What an SM does in a clock by single instructions, by compute capability: the judge's own table, read from its source.

Sources of the figures stand there (harness/judge/peaks.cpp), which is to lie beside the scripts.
"""
import pathlib
import re
from collections import namedtuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "harness" / "judge" / "peaks.cpp"
MODELS = ROOT / "harness" / "result" / "gpu_model.hpp"
PRODUCTS = ("gemm64", "gemm32", "gemmtf32", "gemm16", "fp8", "int8")
CORES = ("fp64", "fp32", "fp16", "int32")

# metric: key of the benchmark's metric. of: a word of PRODUCTS or, where cores is true, of CORES.
Instruction = namedtuple("Instruction", "metric of cores", defaults=(False,))
# In the order of the table that is printed. Of dp4a no public rate was found. The rate of 32-bit integers (64 multiply-adds, which the
# judge holds as an upper bound) is not asked for here.
INSTRUCTIONS = (
    Instruction("peak/fp64/fma:flop_per_clock_per_sm", "fp64", True),
    Instruction("peak/fp64/mma_sync:flop_per_clock_per_sm", "gemm64"),
    Instruction("peak/fp64/mma_sync_m16n8k16:flop_per_clock_per_sm", "gemm64"),
    Instruction("peak/fp32/fma:flop_per_clock_per_sm", "fp32", True),
    Instruction("peak/fp16/fma_x2:flop_per_clock_per_sm", "fp16", True),
    Instruction("peak/tf32/mma_sync:flop_per_clock_per_sm", "gemmtf32"),
    Instruction("peak/tf32/wgmma:flop_per_clock_per_sm", "gemmtf32"),
    Instruction("peak/tf32/tcgen05:flop_per_clock_per_sm", "gemmtf32"),
    Instruction("peak/fp16/mma_sync_m16n8k8:flop_per_clock_per_sm", "gemm16"),
    Instruction("peak/fp16/mma_sync:flop_per_clock_per_sm", "gemm16"),
    Instruction("peak/fp16/wgmma:flop_per_clock_per_sm", "gemm16"),
    Instruction("peak/fp16/tcgen05:flop_per_clock_per_sm", "gemm16"),
    Instruction("peak/bf16/mma_sync:flop_per_clock_per_sm", "gemm16"),
    Instruction("peak/bf16/wgmma:flop_per_clock_per_sm", "gemm16"),
    Instruction("peak/bf16/tcgen05:flop_per_clock_per_sm", "gemm16"),
    Instruction("peak/fp8/mma_sync:flop_per_clock_per_sm", "fp8"),
    Instruction("peak/fp8/wgmma:flop_per_clock_per_sm", "fp8"),
    Instruction("peak/fp8/tcgen05:flop_per_clock_per_sm", "fp8"),
    Instruction("peak/int8/mma_sync_m8n8k16:operation_per_clock_per_sm", "int8"),
    Instruction("peak/int8/mma_sync:operation_per_clock_per_sm", "int8"),
    Instruction("peak/int8/wgmma:operation_per_clock_per_sm", "int8"),
    Instruction("peak/int8/tcgen05:operation_per_clock_per_sm", "int8"),
)

# rate: dense operations of one SM in one clock. gated: this instruction is meant to reach it here.
Rate = namedtuple("Rate", "metric rate gated")


class Unreadable(Exception):
    """One sentence why there are no rates."""


def numbers(text, named):
    """Of ".5, h20" the values."""
    return [named[one.strip()] if one.strip() in named else float(one) for one in text.split(",")]


def read():
    """({capability: {product: rate}}, {capability: {core: rate}}, {model: (share of floats, share of int8)}, models whose fp64 is cut)."""
    try:
        text, models = TABLE.read_text(encoding="utf-8"), MODELS.read_text(encoding="utf-8")
    except OSError as error:
        raise Unreadable(f"the rates of instructions stand in the sources, which are not here: {error}") from error
    named = {name: float(above) / float(below)
             for name, above, below in re.findall(r"constexpr double (\w+) = ([\d.]+) / ([\d.]+);", text)}
    products = {name: dict(zip(PRODUCTS, numbers(row, named)))
                for name, row in re.findall(r'\bRow\{"(\d+\.\d)", ([^}"]+), \w+\}', text)}
    cores = {name: dict(zip(CORES, numbers(row, named))) for name, row in re.findall(r'\bCudaCores\{"(\d+\.\d)", ([^}]+)\}', text)}
    cut = {name: tuple(numbers(row, named)) for name, row in re.findall(r'\bCut\{"(\w+)", ([^}]+)\}', text)}
    without = re.search(r"models\{([^}]+)\};", text)
    cut.update({name: (0.0, 0.0) for name in re.findall(r'"(\w+)"', without.group(1))} if without else {})
    slow_fp64 = re.findall(r'has_word\(gpu_name, "(\w+)"\)', models)
    if len(products) < 9 or set(products) != set(cores) or not without or len(cut) < 10 or not slow_fp64:
        raise Unreadable(f"{TABLE} holds its rates in another form: peak_rates.py must be changed with it")
    return products, cores, cut, slow_fp64


def capabilities():
    """Every compute capability with a rate, in the table's order."""
    return list(read()[0])


def exists(metric, capability):
    """Whether a GPU of this compute capability has the instruction."""
    words = metric.split(":")[0]
    number = int(capability.replace(".", ""))
    if words.endswith("wgmma"):
        return number == 90
    if words.endswith("tcgen05"):
        return number in (100, 103, 110) and ("/int8/" not in words or number != 103)
    if words.endswith(("mma_sync_m16n8k8", "mma_sync_m8n8k16")):
        return 75 <= number < 80  # later ones leave it out: a larger instruction takes its place
    if words.endswith("mma_sync_m16n8k16"):
        return number >= 90
    return not words.endswith("mma_sync") or number >= (89 if "/fp8/" in words else 80)


def meant_to_reach(one, capability, products, cores):
    """Whether the instruction is the fast one of its units: wgmma on 9.0, tcgen05 on 10.x and 11.x, mma.sync on 8.x and 12.x. m8n8k4
    is the small fp64 instruction of 9.0; Tensor Cores that add nothing to fp64's rate do not compute it themselves."""
    if one.cores or one.metric.split(":")[0].endswith(("wgmma", "tcgen05")):
        return True
    if one.of == "gemm64":
        large = "m16n8k16" in one.metric
        return products["gemm64"] > cores["fp64"] and (large or not capability.startswith("9."))
    return capability.startswith(("8.", "12."))


def rates(capability, model=""):
    """[Rate] of the instructions of a GPU; none for a compute capability without a known rate. `model` is the GPU's name: the rates of
    models whose Tensor Cores are cut are theirs."""
    products, cores, cut, slow_fp64 = read()
    if capability not in products:
        return []
    words = re.split(r"[ -]", model)
    shares = next((share for name, share in cut.items() if name in words), (1.0, 1.0))
    out = []
    for one in INSTRUCTIONS:
        rate = (cores if one.cores else products)[capability][one.of]
        if one.of in ("gemmtf32", "gemm16", "fp8", "int8"):
            rate *= shares[one.of == "int8"]
        if one.of in ("fp64", "gemm64") and any(name in words for name in slow_fp64):
            rate = 0
        if rate > 0 and exists(one.metric, capability):
            out.append(Rate(one.metric, rate, meant_to_reach(one, capability, products[capability], cores[capability])))
    return out
