"""JAX: products and a convolution on its default backend."""
from gpugauge_probe.operation import Convolution, Matmul, Operation


def load():
    """Imports the framework; everything else here may rely on it."""
    import jax  # pylint: disable=import-outside-toplevel
    return jax


def facts(jax):
    """framework.* facts and switches, as an import tells them."""
    import jaxlib  # pylint: disable=import-outside-toplevel
    platforms = sorted({one.platform for one in jax.devices()})
    out = {
        "framework.version": jax.__version__,
        "framework.jaxlib_version": jaxlib.__version__,
        "framework.providers": " ".join(platforms),
        "jax.default_matmul_precision": str(jax.config.jax_default_matmul_precision),
    }
    # The plugin is what carries CUDA; without it jaxlib is the processor's alone.
    try:
        import jax_plugins  # pylint: disable=import-outside-toplevel
        names = [name for name in dir(jax_plugins) if "cuda" in name]
        out["framework.build"] = "cuda" if names or "gpu" in platforms or "cuda" in platforms else "cpu"
    except ImportError:
        out["framework.build"] = "cuda" if "gpu" in platforms or "cuda" in platforms else "cpu"
    return out


def device(jax):
    """("gpu"/"cpu", its name): the first device of the default backend."""
    first = jax.devices()[0]
    if first.platform in ("gpu", "cuda"):
        return "gpu", first.device_kind
    return "cpu", f"the processor: jax.default_backend() is {jax.default_backend()}"


def operations(jax, place):
    """The operations to time, on the default backend."""
    types = {"fp32": jax.numpy.float32, "bf16": jax.numpy.bfloat16}
    pending = {}

    def finish():
        for value in pending.values():
            value.block_until_ready()

    def uniform(shape, seed, dtype):
        return jax.random.uniform(jax.random.PRNGKey(seed), shape, minval=-1, maxval=1).astype(types[dtype])

    def fp64(value):
        import numpy  # pylint: disable=import-outside-toplevel  # JAX itself needs it
        return numpy.asarray(value.astype(jax.numpy.float32)).astype(numpy.float64)

    def device_of(name):
        return lambda: next(iter(pending[name].devices())).platform

    def matmul(dtype, n):
        import numpy  # pylint: disable=import-outside-toplevel
        a, b = uniform((n, n), Operation.SEED, dtype), uniform((n, n), Operation.SEED + 1, dtype)
        product = jax.jit(lambda x, y: x @ y)

        def run():
            pending["matmul"] = product(a, b)

        def error():
            rows = slice(0, n, max(1, n // 16))
            left, right = fp64(a)[rows], fp64(b)
            scale = numpy.linalg.norm(left, axis=1)[:, None] * numpy.linalg.norm(right, axis=0)[None, :]
            return float((abs(fp64(pending["matmul"])[rows] - left @ right) / scale).max())
        return run, error, device_of("matmul")

    def convolution(dtype, shape):
        import numpy  # pylint: disable=import-outside-toplevel
        image = uniform((shape.batch, shape.channels, shape.height, shape.width), Operation.SEED, dtype)
        weight = uniform((shape.filters, shape.channels, shape.kernel, shape.kernel), Operation.SEED + 1, dtype)
        convolve = jax.jit(lambda x, y: jax.lax.conv_general_dilated(x, y, (1, 1), "SAME"))

        def run():
            pending["convolution"] = convolve(image, weight)

        def error():
            left, right = fp64(image)[0], fp64(weight)
            pad = shape.kernel // 2
            left = numpy.pad(left, ((0, 0), (pad, pad), (pad, pad)))
            exact = numpy.zeros((shape.filters, shape.height, shape.width))
            for y in range(shape.kernel):
                for x in range(shape.kernel):
                    window = left[:, y:y + shape.height, x:x + shape.width]
                    exact += numpy.einsum("fc,chw->fhw", right[:, :, y, x], window)
            return float(abs(fp64(pending["convolution"])[0] - exact).max()) / shape.terms() ** 0.5
        return run, error, device_of("convolution")

    def where(platform):
        return "gpu" if platform in ("gpu", "cuda") else "cpu"

    out = []
    for dtype in ("fp32", "bf16"):
        out.append(Matmul("jax", dtype, place, matmul, finish, None, where))
        out.append(Convolution("jax", dtype, place, convolution, finish, None, where))
    return out
