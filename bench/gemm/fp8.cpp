#include "gemm/product.hpp"
#include "kernels/gemm/wgmma.hpp"

namespace gpugauge::bench::gemm {
namespace {

using kernels::Bf16;
using kernels::E4m3;

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("wgmma")
        .isolates(
            "fp8 (e4m3) products on Hopper's Tensor Cores by wgmma and TMA, B given transposed, sums as "
            "the instruction makes them (about 14 bits in registers of fp32), bf16 result, without any "
            "library")
        .bad_value("a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice")
        .axis("shape", {"4096x4096x4096", "8192x8192x8192"})
        .quantity(Quantity::throughput, "gemm8")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu_of(90)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) {
          const Shape shape = parse_shape(trial.parameter("shape"));
          measure_product<E4m3, Bf16>(trial, kernels::gemm::wgmma,
                                      kernels::gemm::tolerance_fp8_wgmma(shape.k));
        })};

}  // namespace
}  // namespace gpugauge::bench::gemm
