#include "kernels/gemm/fastest_bf16.hpp"
#include "support/cuda/device.hpp"
#include "sustained/product.hpp"

namespace gpugauge::bench::sustained {
namespace {

using kernels::Bf16;

void gemm(Trial& trial) {
  constexpr int edge = 8192;
  const int capability = cuda::device().compute_capability;
  trial.note("kernel", kernels::gemm::fastest_bf16_name(capability));
  if (!kernels::gemm::fastest_bf16_is_full_load(capability)) trial.note("load", kernels::gemm::not_full_load);
  sustain_product<Bf16>(
      trial, edge,
      [capability](const Bf16* a, const Bf16* b, Bf16* c, cudaStream_t stream) {
        return kernels::gemm::fastest_bf16(capability, a, b, c, edge, edge, edge, stream);
      },
      kernels::gemm::tolerance_bf16_mma(edge), "gemm16");
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "The bf16 product 8192x8192x8192 on Tensor Cores for a minute: what heat, the power "
            "limit and time do to it (on 10.x and 11.0 by mma.sync, which is not the full load there). "
            "First against last second, the slowest second, spread, two modes, the longest pause, SM clock")
        .bad_value(
            "cooling, a power cap, a shared power budget of the node; two modes: clocks that jump between "
            "steps, or a neighbour that comes and goes")
        .window_share(windows)
        .sustained()
        .power_heavy()
        .custom_metrics({"gemm16"})
        .deterministic()
        .requires_gpu(80)
        .from(Depth::deep)
        .body(gemm)};

}  // namespace
}  // namespace gpugauge::bench::sustained
