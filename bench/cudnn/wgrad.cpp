#include "cudnn/convolution.hpp"

namespace gpugauge::bench::cudnn {
namespace {

using kernels::convolution::Pass;

const Registration with_fp16{
    define_convolution(GPUGAUGE_BENCH_OP, Pass::filter_gradient, fp16)
        .isolates("The gradient of a convolution's filters on layers of ResNet-50 in fp16 with fp32 sums: "
                  "cuDNN's own first plan, and the best of the first ten")};

const Registration with_bf16{
    define_convolution(GPUGAUGE_BENCH_OP, Pass::filter_gradient, bf16)
        .isolates("The gradient of a convolution's filters on layers of ResNet-50 in bf16 with fp32 sums: "
                  "cuDNN's own first plan, and the best of the first ten")
        .from(Depth::exhaustive, "layer",
              {"stage2_3x3", "stage2_1x1_expand", "stage3_3x3_stride2", "stage4_shortcut_1x1_stride2",
               "stage5_3x3"})
        .from(Depth::deep, "layer", {"stage3_3x3"})
        .from(Depth::deep, "layout", {"nchw"})};

const Registration with_tf32{
    define_convolution(GPUGAUGE_BENCH_OP, Pass::filter_gradient, tf32)
        .isolates("The gradient of a convolution's filters on layers of ResNet-50 of fp32 data on Tensor "
                  "Cores, inputs rounded to tf32: cuDNN's own first plan, and the best of the first ten")};

const Registration with_fp32{
    define_convolution(GPUGAUGE_BENCH_OP, Pass::filter_gradient, fp32)
        .isolates(
            "The gradient of a convolution's filters on layers of ResNet-50 of fp32 data without Tensor "
            "Cores; the error proves it: cuDNN's own first plan, and the best of the first ten")};

}  // namespace
}  // namespace gpugauge::bench::cudnn
