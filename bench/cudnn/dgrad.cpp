#include "cudnn/convolution.hpp"

namespace gpugauge::bench::cudnn {
namespace {

using kernels::convolution::Pass;

const Registration with_fp16{
    define_convolution(GPUGAUGE_BENCH_OP, Pass::data_gradient, fp16)
        .isolates("The gradient of a convolution's input on layers of ResNet-50 in fp16 with fp32 sums: "
                  "cuDNN's own first plan, and the best of the first ten")};

const Registration with_bf16{
    define_convolution(GPUGAUGE_BENCH_OP, Pass::data_gradient, bf16)
        .isolates("The gradient of a convolution's input on layers of ResNet-50 in bf16 with fp32 sums: "
                  "cuDNN's own first plan, and the best of the first ten")
        // Deep has time for two layers. Where the stride is 2, each result takes another part of the filter, by
        // kernels of their own; a 1x1 of stride 1 is the product that fprop measures, with c and k exchanged.
        .from(Depth::exhaustive, "layer",
              {"stage2_3x3", "stage2_1x1_expand", "stage4_1x1", "stage4_shortcut_1x1_stride2", "stage5_3x3"})
        .from(Depth::deep, "layer", {"stage3_3x3"})
        .from(Depth::deep, "layout", {"nchw"})};

const Registration with_tf32{
    define_convolution(GPUGAUGE_BENCH_OP, Pass::data_gradient, tf32)
        .isolates("The gradient of a convolution's input on layers of ResNet-50 of fp32 data on Tensor "
                  "Cores, inputs rounded to tf32: cuDNN's own first plan, and the best of the first ten")};

const Registration with_fp32{
    define_convolution(GPUGAUGE_BENCH_OP, Pass::data_gradient, fp32)
        .isolates("The gradient of a convolution's input on layers of ResNet-50 of fp32 data without Tensor "
                  "Cores; the error proves it: cuDNN's own first plan, and the best of the first ten")};

}  // namespace
}  // namespace gpugauge::bench::cudnn
