"""One operation of a framework, whichever framework: its id, its work, its tolerance."""
from collections import namedtuple

from gpugauge_probe import family


class ConvolutionShape(namedtuple("ConvolutionShape", "batch channels height width filters kernel")):
    """NCHW image and OIHW weights, stride 1, same padding."""

    def terms(self):
        """Products that are summed for one output."""
        return self.channels * self.kernel * self.kernel

    def flops(self):
        """A multiplication and an addition for each term of each output; padding counted as work."""
        return 2.0 * self.batch * self.filters * self.height * self.width * self.terms()


# Sizes that a GPU needs milliseconds for at most, and a processor not much more than a second.
MATMUL_SIZE = {"gpu": 4096, "cpu": 1024}
CONVOLUTION_SHAPE = {
    "gpu": ConvolutionShape(32, 128, 28, 28, 128, 3),  # conv3_x of ResNet-50 (He et al., 2015, table 1)
    "cpu": ConvolutionShape(4, 64, 28, 28, 64, 3),
}
STREAM_BYTES = 1 << 30  # of each array: far larger than any L2, as the arrays of memory/copy/cold and memory/triad/cold
# Relative to the norms of row and column: fp32 may be rounded to TF32 (10 bits of mantissa) by the framework's own choice, and
# bf16 rounds its result to 8 bits. Random roundings of K terms add up as their root, which the norms carry.
TOLERANCE = {"fp32": 2.0**-10, "bf16": 2.0**-7}
# A product of fp32 inputs with a larger error rounded them to TF32: tolerance_fp32_fma() of kernels/gemm/work.hpp, in the same unit.
LARGEST_FP32_ERROR = 16 * 2.0**-24
# One with an error above this / sqrt(n) rounded them to bf16. The same sums on the host, 16 rows of squares of 1024 and 4096: inputs
# rounded to TF32 gave up to 1.3e-3, truncated 3.6e-3; rounded to bf16 8.2e-3 and more. This is the geometric mean of the last two.
# fp16 has as many bits as TF32, and its error.
BETWEEN_TF32_AND_BF16 = 5.4e-3


class Operation:
    """`make` builds inputs and returns (run, error, device of the result)."""
    SEED = family.INPUT_SEED

    def __init__(self, framework, kind, dtype, parameters, flops, make, finish, kernels_of, where):
        self.dtype, self.flops, self.parameters = dtype, flops, dict(parameters, type=dtype)
        self.id = "/".join([framework, kind, dtype, *parameters.values()])
        self.kind, self.finish, self.kernels_of, self.where = kind, finish, kernels_of, where
        self.bytes = 0.0  # read and written; where there are any, bandwidth is what counts
        self._make = make

    def prepare(self):
        """Allocates; returns (run, error, device of the result)."""
        return self._make()

    def tolerance(self):
        """Largest error allowed, in the unit that `error` returns."""
        return TOLERANCE[self.dtype]

    def numerics(self, _error):
        """What a GPU computed in, by the error: fp32, tf32 or bf16, as the benchmarks of cuBLAS call it; empty: nothing tells."""
        return ""


class Matmul(Operation):
    """A square product. The family cublas has the GPU's size in bf16, fp32 and tf32 (`cublas/<type>/lt`)."""

    def __init__(self, framework, dtype, place, make, finish, kernels_of, where):
        n = self._n = MATMUL_SIZE[place]
        super().__init__(framework, "matmul", dtype, {"shape": f"{n}x{n}x{n}"}, 2.0 * n**3, lambda: make(dtype, n), finish,
                         kernels_of, where)

    def numerics(self, error):
        if self.dtype != "fp32":
            return ""
        if error > BETWEEN_TF32_AND_BF16 / self._n**0.5:
            return "bf16"
        return "tf32" if error > LARGEST_FP32_ERROR else "fp32"


class Convolution(Operation):
    """A 3 x 3 convolution; its error is relative to the root of the terms."""

    def __init__(self, framework, dtype, place, make, finish, kernels_of, where):
        shape = CONVOLUTION_SHAPE[place]
        super().__init__(framework, "convolution", dtype, {"shape": "x".join(str(one) for one in shape)}, shape.flops(),
                         lambda: make(dtype, shape), finish, kernels_of, where)

    def tolerance(self):
        # Terms are products of uniform numbers of variance 1/9; the output itself is rounded once, and reaches about 4 roots.
        return 4 * TOLERANCE[self.dtype]


class Stream(Operation):
    """copy (out = a) or triad (out = b + s c) of fp32 arrays of STREAM_BYTES each, for a GPU; its error is absolute."""
    ARRAYS = {"copy": 2, "triad": 3}

    def __init__(self, framework, kind, make, finish, kernels_of, where):
        count = STREAM_BYTES // 4
        super().__init__(framework, kind, "fp32", {"size": "1GiB"}, 2.0 * count if kind == "triad" else 0.0,
                         lambda: make(kind, count), finish, kernels_of, where)
        self.bytes = float(self.ARRAYS[kind] * STREAM_BYTES)

    def tolerance(self):
        # |b + s c| stays below 2: a product and a sum that are rounded, each by half of 2^-23 at most.
        return 0.0 if self.kind == "copy" else 2.0**-22
