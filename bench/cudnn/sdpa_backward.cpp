#include "cudnn/attention.hpp"

namespace gpugauge::bench::cudnn {
namespace {

const Registration with_bf16{define_attention(GPUGAUGE_BENCH_OP, kernels::Element::bf16, true)
                                 .isolates("Scaled dot-product attention backward in bf16, fused: cuDNN's "
                                           "own first plan, and the best of the first ten")};

const Registration with_fp16{define_attention(GPUGAUGE_BENCH_OP, kernels::Element::fp16, true)
                                 .isolates("Scaled dot-product attention backward in fp16, fused: cuDNN's "
                                           "own first plan, and the best of the first ten")};

}  // namespace
}  // namespace gpugauge::bench::cudnn
