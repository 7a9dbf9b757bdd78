#include "gemm/product.hpp"
#include "kernels/gemm/simt_fp32.hpp"

namespace gpugauge::bench::gemm {
namespace {

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("simt")
        .isolates(
            "fp32 fused multiply-adds of the CUDA cores, fed from shared memory, without Tensor Cores or any "
            "library: what an fp32 product costs when tf32 is off")
        .bad_value("a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice")
        .axis("shape", {"2048x2048x2048", "4096x4096x4096"})
        .quantity(Quantity::throughput, "gemm32")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .deterministic()
        .body([](Trial& trial) {
          measure_product<float, float>(trial, kernels::gemm::simt_fp32, kernels::gemm::tolerance_fp32_fma());
        })};

}  // namespace
}  // namespace gpugauge::bench::gemm
