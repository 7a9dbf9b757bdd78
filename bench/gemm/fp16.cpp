#include "gemm/product.hpp"
#include "kernels/gemm/mma_fp16.hpp"

namespace gpugauge::bench::gemm {
namespace {

using kernels::Fp16;

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync")
        .isolates("fp16 products on Tensor Cores by the warp-level mma.sync instruction, fp32 sums, fp16 "
                  "result, without any library: as fast as gemm/bf16/mma_sync where nothing is wrong")
        .bad_value("a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice")
        .axis("shape", {"4096x4096x4096", "8192x8192x8192"})
        .quantity(Quantity::throughput, "gemm16")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(80)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) {
          const Shape shape = parse_shape(trial.parameter("shape"));
          measure_product<Fp16, Fp16>(trial, kernels::gemm::mma_fp16,
                                      kernels::gemm::tolerance_bf16_mma(shape.k));
        })};

}  // namespace
}  // namespace gpugauge::bench::gemm
