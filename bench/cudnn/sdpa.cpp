#include "cudnn/attention.hpp"

namespace gpugauge::bench::cudnn {
namespace {

const Registration with_bf16{define_attention(GPUGAUGE_BENCH_OP, kernels::Element::bf16, false)
                                 .isolates("Scaled dot-product attention forward in bf16, fused: cuDNN's own "
                                           "first plan, and the best of the first ten")
                                 .from(Depth::quick, "shape", {"4x32x4096x128"})
                                 .from(Depth::exhaustive, "shape", {"1x32x16384x64"})
                                 .from(Depth::deep, "mask", {"full"})};

const Registration with_fp16{define_attention(GPUGAUGE_BENCH_OP, kernels::Element::fp16, false)
                                 .isolates("Scaled dot-product attention forward in fp16, fused: cuDNN's own "
                                           "first plan, and the best of the first ten")};

}  // namespace
}  // namespace gpugauge::bench::cudnn
