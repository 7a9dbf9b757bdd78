"""TensorFlow: products and a convolution where it places them by itself."""
import os

from gpugauge_probe.operation import Convolution, Matmul, Operation


def load():
    """Imports the framework; everything else here may rely on it."""
    # It would take all of the GPU's memory, and so hide what the work itself holds.
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    import tensorflow  # pylint: disable=import-outside-toplevel
    return tensorflow


def facts(tf):
    """framework.* facts and switches, as an import tells them."""
    info = dict(tf.sysconfig.get_build_info())
    out = {
        "framework.version": tf.__version__,
        "framework.build": "cuda" if info.get("is_cuda_build") else "cpu",
        "framework.cuda": str(info.get("cuda_version", "none")),
        "tensorflow.tensor_float_32_execution": str(tf.config.experimental.tensor_float_32_execution_enabled()).lower(),
    }
    if info.get("cudnn_version"):
        out["cudnn.version"] = str(info["cudnn_version"])
    if info.get("cuda_compute_capabilities"):
        out["cuda.arch_list"] = " ".join(info["cuda_compute_capabilities"])
    return out


def device(tf):
    """("gpu"/"cpu", its name): the first physical GPU that it lists."""
    found = tf.config.list_physical_devices("GPU")
    if found:
        return "gpu", tf.config.experimental.get_device_details(found[0]).get("device_name", found[0].name)
    return "cpu", "the processor: tf.config.list_physical_devices('GPU') is empty"


def operations(tf, place):
    """The operations to time; nothing says where they must run, so that the framework's own placement is what is seen."""
    types = {"fp32": tf.float32, "bf16": tf.bfloat16}
    last = {}

    def finish():
        if "out" in last:  # there is no other wait in every version of 2.x; one element is copied a batch
            last["out"][(0,) * len(last["out"].shape)].numpy()

    def uniform(shape, seed, dtype):
        return tf.cast(tf.random.stateless_uniform(shape, (seed, 0), -1.0, 1.0), types[dtype])

    def fp64(value):
        import numpy  # pylint: disable=import-outside-toplevel  # TensorFlow itself needs it
        return tf.cast(value, tf.float32).numpy().astype(numpy.float64)

    def where(name):
        return "gpu" if ":GPU:" in name else "cpu"

    def matmul(dtype, n):
        import numpy  # pylint: disable=import-outside-toplevel
        a, b = uniform((n, n), Operation.SEED, dtype), uniform((n, n), Operation.SEED + 1, dtype)
        product = tf.function(tf.matmul)

        def run():
            last["out"] = product(a, b)

        def error():
            rows = slice(0, n, max(1, n // 16))
            left, right = fp64(a)[rows], fp64(b)
            scale = numpy.linalg.norm(left, axis=1)[:, None] * numpy.linalg.norm(right, axis=0)[None, :]
            return float((abs(fp64(last["out"])[rows] - left @ right) / scale).max())
        return run, error, lambda: last["out"].device

    def convolution(dtype, shape):
        import numpy  # pylint: disable=import-outside-toplevel
        # NHWC and HWIO: TensorFlow on a processor knows no other.
        image = uniform((shape.batch, shape.height, shape.width, shape.channels), Operation.SEED, dtype)
        weight = uniform((shape.kernel, shape.kernel, shape.channels, shape.filters), Operation.SEED + 1, dtype)
        convolve = tf.function(lambda x, y: tf.nn.conv2d(x, y, 1, "SAME"))

        def run():
            last["out"] = convolve(image, weight)

        def error():
            pad = shape.kernel // 2
            left, right = numpy.pad(fp64(image)[0], ((pad, pad), (pad, pad), (0, 0))), fp64(weight)
            exact = numpy.zeros((shape.height, shape.width, shape.filters))
            for y in range(shape.kernel):
                for x in range(shape.kernel):
                    exact += left[y:y + shape.height, x:x + shape.width] @ right[y, x]
            return float(abs(fp64(last["out"])[0] - exact).max()) / shape.terms() ** 0.5
        return run, error, lambda: last["out"].device

    out = []
    for dtype in ("fp32", "bf16"):
        out.append(Matmul("tensorflow", dtype, place, matmul, finish, None, where))
        out.append(Convolution("tensorflow", dtype, place, convolution, finish, None, where))
    return out
