"""ONNX Runtime: a product and a convolution with every provider that it has, the GPU's first."""
import functools
import glob
import json
import os
import tempfile

from gpugauge_probe import onnx_model
from gpugauge_probe.operation import Convolution, Matmul, Operation

GPU_PROVIDERS = ("CUDAExecutionProvider",)


def load():
    """Imports the framework; everything else here may rely on it."""
    import onnxruntime  # pylint: disable=import-outside-toplevel
    return onnxruntime


def facts(ort):
    """framework.* facts, as an import and a session tell them."""
    available = ort.get_available_providers()
    return {
        "framework.version": ort.__version__,
        "framework.providers": " ".join(_active(ort)),
        "framework.build": "cuda" if any(one in available for one in GPU_PROVIDERS) else "cpu",
    }


def device(ort):
    """("gpu"/"cpu", its name): by the providers that a session of one product really got, not by those on offer."""
    active = _active(ort)
    if any(one in active for one in GPU_PROVIDERS):
        return "gpu", active[0]
    return "cpu", "the processor: the session's providers are " + ", ".join(active)


@functools.lru_cache(maxsize=None)
def _active(ort):
    """The providers of a session of one product. A session that fails to get one says why, and goes on without."""
    model = onnx_model.model("MatMul", [("a", (8, 8)), ("b", (8, 8))], ("c", (8, 8)), onnx_model.FLOAT)
    return ort.InferenceSession(model, providers=_providers(ort)).get_providers()


def _providers(ort):
    return [one for one in (*GPU_PROVIDERS, "CPUExecutionProvider") if one in ort.get_available_providers()]


class Session:
    """A model of one operator, ready to run; with `profile`, ORT writes who ran each node."""

    def __init__(self, ort, model, inputs, place, profile=False):
        options = ort.SessionOptions()
        options.enable_profiling = profile
        if profile:
            self._folder = tempfile.TemporaryDirectory(prefix="gpugauge-")
            options.profile_file_prefix = os.path.join(self._folder.name, "profile")
        self._session = ort.InferenceSession(model, options, providers=_providers(ort))
        kind = "cuda" if place == "gpu" else "cpu"
        self._binding = self._session.io_binding()
        self._keep = {name: ort.OrtValue.ortvalue_from_numpy(value, kind, 0) for name, value in inputs.items()}
        for name, value in self._keep.items():
            self._binding.bind_ortvalue_input(name, value)
        self._binding.bind_output("c", kind)

    def run(self):
        """Once, inputs and output where `place` says."""
        self._session.run_with_iobinding(self._binding)

    def finish(self):
        """Waits until the outputs are there."""
        self._binding.synchronize_outputs()

    def output(self):
        """The result as a numpy array in the host's memory."""
        return self._binding.copy_outputs_to_cpu()[0]

    def providers_of_nodes(self):
        """{provider: [operators]} of the profile. Ends the profile."""
        self._session.end_profiling()
        out = {}
        for path in glob.glob(os.path.join(self._folder.name, "profile*")):
            with open(path, encoding="utf-8") as file:
                for event in json.load(file):
                    arguments = event.get("args", {})
                    if "provider" in arguments:
                        out.setdefault(arguments["provider"], []).append(arguments.get("op_name", "?"))
        return out


def operations(ort, place):
    """The operations to time. ORT has no bf16 product on the processor: fp32 only."""
    import numpy  # pylint: disable=import-outside-toplevel  # ONNX Runtime itself needs it
    last = {}

    def uniform(shape, seed):
        return numpy.random.default_rng(seed).uniform(-1, 1, shape).astype(numpy.float32)

    def ready(model, inputs):
        last["session"] = Session(ort, model, inputs, place)
        last["model"], last["inputs"] = model, inputs
        return last["session"]

    def fallback():
        """Operators that ran on the processor in a session that has the GPU's provider; none where it has not."""
        if place != "gpu":
            return []
        session = Session(ort, last["model"], last["inputs"], place, profile=True)
        session.run()
        session.finish()
        return sorted(set(session.providers_of_nodes().get("CPUExecutionProvider", [])))

    def matmul(_dtype, n):
        a, b = uniform((n, n), Operation.SEED), uniform((n, n), Operation.SEED + 1)
        model = onnx_model.model("MatMul", [("a", a.shape), ("b", b.shape)], ("c", a.shape), onnx_model.FLOAT)
        session = ready(model, {"a": a, "b": b})

        def error():
            rows = slice(0, n, max(1, n // 16))
            left, right = a[rows].astype(numpy.float64), b.astype(numpy.float64)
            scale = numpy.linalg.norm(left, axis=1)[:, None] * numpy.linalg.norm(right, axis=0)[None, :]
            return float((abs(session.output()[rows] - left @ right) / scale).max())
        return session.run, error, lambda: place

    def convolution(_dtype, shape):
        image = uniform((shape.batch, shape.channels, shape.height, shape.width), Operation.SEED)
        weight = uniform((shape.filters, shape.channels, shape.kernel, shape.kernel), Operation.SEED + 1)
        pad = shape.kernel // 2
        model = onnx_model.model("Conv", [("a", image.shape), ("b", weight.shape)],
                                 ("c", (shape.batch, shape.filters, shape.height, shape.width)), onnx_model.FLOAT,
                                 [("pads", (pad, pad, pad, pad))])
        session = ready(model, {"a": image, "b": weight})

        def error():
            left = numpy.pad(image[0].astype(numpy.float64), ((0, 0), (pad, pad), (pad, pad)))
            exact = numpy.zeros((shape.filters, shape.height, shape.width))
            for y in range(shape.kernel):
                for x in range(shape.kernel):
                    window = left[:, y:y + shape.height, x:x + shape.width]
                    exact += numpy.einsum("fc,chw->fhw", weight[:, :, y, x].astype(numpy.float64), window)
            return float(abs(session.output()[0] - exact).max()) / shape.terms() ** 0.5
        return session.run, error, lambda: place

    def finish():
        last["session"].finish()

    out = [Matmul("onnxruntime", "fp32", place, matmul, finish, None, str),
           Convolution("onnxruntime", "fp32", place, convolution, finish, None, str)]
    for one in out:
        one.fallback = fallback
    return out
