#include "kernels/gemm/simt_fp32.hpp"
#include "sustained/product.hpp"

namespace gpugauge::bench::sustained {
namespace {

void gemm_fp32(Trial& trial) {
  constexpr int edge = 4096;
  trial.note("kernel", "simt");
  trial.note("load", "by the CUDA cores: Tensor Cores, where this GPU has them, may draw more");
  sustain_product<float>(
      trial, edge,
      [](const float* a, const float* b, float* c, cudaStream_t stream) {
        return kernels::gemm::simt_fp32(a, b, c, edge, edge, edge, stream);
      },
      kernels::gemm::tolerance_fp32_fma(), "gemm32");
}

// The product of sustained/gemm is of bf16, which GPUs before 8.0 do not have.
const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "The fp32 product 4096x4096x4096 on the CUDA cores for a minute, on GPUs without bf16: measured before "
            "compute capability 8.0 in the place of gemm. First against last second, the slowest second, spread, "
            "two modes, the longest pause, SM clock")
        .bad_value(
            "cooling, a power cap, a shared power budget of the node; two modes: clocks that jump between "
            "steps, or a neighbour that comes and goes")
        .window_share(windows)
        .sustained()
        .power_heavy()
        .custom_metrics({"gemm32"})
        .deterministic()
        .requires_gpu()
        .stands_in_below(80)
        .from(Depth::deep)
        .body(gemm_fp32)};

}  // namespace
}  // namespace gpugauge::bench::sustained
