"""PyTorch: products, a convolution and, on a GPU, two streams over its memory."""
import math

from gpugauge_probe import evidence, family
from gpugauge_probe.operation import Convolution, Matmul, Operation, Stream


def load():
    """Imports the framework; everything else here may rely on it."""
    import torch  # pylint: disable=import-outside-toplevel
    return torch


def facts(torch):
    """framework.* facts and switches, as an import tells them."""
    cuda = torch.version.cuda
    out = {
        "framework.version": torch.__version__,
        "framework.build": "cuda" if cuda else ("rocm" if getattr(torch.version, "hip", None) else "cpu"),
        "framework.cuda": cuda or "none",
        "torch.allow_tf32": str(torch.backends.cuda.matmul.allow_tf32).lower(),
        "torch.cudnn_allow_tf32": str(torch.backends.cudnn.allow_tf32).lower(),
        "torch.cudnn_benchmark": str(torch.backends.cudnn.benchmark).lower(),
    }
    if hasattr(torch, "get_float32_matmul_precision"):
        out["torch.float32_matmul_precision"] = torch.get_float32_matmul_precision()
    if cuda:
        out["cuda.arch_list"] = " ".join(torch.cuda.get_arch_list())
        version = torch.backends.cudnn.version()
        if version:
            out["cudnn.version"] = _cudnn_version(version)
    return out


def _cudnn_version(number):
    """"9.10.2" of 91002, "8.9.2" of 8902: CUDNN_VERSION has two digits more for the minor version from 9 on."""
    thousands = 10000 if number >= 90000 else 1000
    return f"{number // thousands}.{number % thousands // 100}.{number % 100}"


def device(torch):
    """("gpu"/"cpu", its name): where the framework would put work that is meant for the GPU."""
    if torch.cuda.is_available():
        return "gpu", torch.cuda.get_device_name(0)
    return "cpu", "the processor: torch.cuda.is_available() is False"


def operations(torch, place):
    """The operations to time, on `place` ("gpu" or "cpu")."""
    target = "cuda" if place == "gpu" else "cpu"
    types = {"fp32": torch.float32, "bf16": torch.bfloat16}

    def finish():
        if target == "cuda":
            torch.cuda.synchronize()

    def profiled(run):
        activity = torch.profiler.ProfilerActivity
        with torch.profiler.profile(activities=[activity.CPU, activity.CUDA]) as profile:
            run()
            finish()
        return [event.name for event in profile.events() if str(event.device_type).endswith("CUDA")]

    def known():
        torch.ones(1, device=target).add_(1)

    def kernels_of(run):
        return evidence.listed(profiled, run, known) if target == "cuda" else None

    def uniform(shape, seed, dtype):
        generator = torch.Generator().manual_seed(seed)
        return (torch.rand(shape, generator=generator) * 2 - 1).to(types[dtype]).to(target)

    def matmul(dtype, n):
        a, b = uniform((n, n), Operation.SEED, dtype), uniform((n, n), Operation.SEED + 1, dtype)
        state = {}

        def run():
            state["out"] = a @ b

        def error():
            rows = slice(0, n, max(1, n // 16))
            exact = a[rows].cpu().double() @ b.cpu().double()
            scale = a[rows].cpu().double().norm(dim=1, keepdim=True) * b.cpu().double().norm(dim=0, keepdim=True)
            return float(((state["out"][rows].cpu().double() - exact).abs() / scale).max())
        return run, error, lambda: state["out"].device.type

    def convolution(dtype, shape):
        image = uniform((shape.batch, shape.channels, shape.height, shape.width), Operation.SEED, dtype)
        weight = uniform((shape.filters, shape.channels, shape.kernel, shape.kernel), Operation.SEED + 1, dtype)
        state = {}

        def run():
            state["out"] = torch.nn.functional.conv2d(image, weight, padding=shape.kernel // 2)

        def error():
            exact = torch.nn.functional.conv2d(image[:1].cpu().double(), weight.cpu().double(), padding=shape.kernel // 2)
            return float((state["out"][:1].cpu().double() - exact).abs().max()) / shape.terms() ** 0.5
        return run, error, lambda: state["out"].device.type

    def stream(kind, count):
        factor, arrays = 0.75, Stream.ARRAYS[kind]
        torch.cuda.empty_cache()  # what earlier operations left counts as free
        free, needed = torch.cuda.mem_get_info()[0], (arrays + 1) * count * 4
        if free < needed:
            raise family.Skip(f"{free / 2**30:.1f} GiB of GPU memory are free; {needed / 2**30:.0f} GiB are needed")

        def filled(seed):
            generator = torch.Generator(device=target).manual_seed(seed)
            return torch.rand(count, generator=generator, device=target).mul_(2).sub_(1)
        inputs = [filled(Operation.SEED + number) for number in range(arrays - 1)]
        out = torch.full((count,), float("nan"), device=target)

        def run():
            if kind == "copy":
                out.copy_(inputs[0])
            else:
                torch.add(inputs[0], inputs[1], alpha=factor, out=out)

        def error():
            largest, part = 0.0, 1 << 24  # in parts: doubles of all of it would not fit beside the arrays
            for begin in range(0, count, part):
                there = [one[begin:begin + part].double() for one in (out, *inputs)]
                exact = there[1] if kind == "copy" else there[1] + factor * there[2]
                worst = float((there[0] - exact).abs().max())
                if math.isnan(worst):
                    return worst
                largest = max(largest, worst)
            return largest
        return run, error, lambda: out.device.type

    def where(kind):
        return "gpu" if kind == "cuda" else "cpu"

    out = []
    for dtype in ("fp32", "bf16"):
        out.append(Matmul("torch", dtype, place, matmul, finish, kernels_of, where))
        out.append(Convolution("torch", dtype, place, convolution, finish, kernels_of, where))
    if target == "cuda":
        out += [Stream("torch", kind, stream, finish, kernels_of, where) for kind in Stream.ARRAYS]
    return out
