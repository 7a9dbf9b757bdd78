#include "nccl/collective.hpp"

namespace gpugauge::bench::nccl {
namespace {

constexpr Collective reduce_scatter{
    .divides = true,
    .receives = Receives::part,
    .bus_factor = factor_all_gather,
    .enqueue =
        [](const float* send, float* receive, const Layout& layout, int, int, ncclComm_t comm,
           cudaStream_t stream) {
          return ncclReduceScatter(send, receive, layout.part, ncclFloat, ncclSum, comm, stream);
        },
    .expected =
        [](const Layout& layout, int rank, int ranks) {
          return kernels::collective::Expected{
              .sum = true, .ranks = ranks, .base = layout.part * static_cast<std::uint64_t>(rank)};
        },
};

const CollectiveRegistration registered{
    GPUGAUGE_BENCH_FAMILY,
    GPUGAUGE_BENCH_OP,
    {.isolates = "Every GPU gets its part of the sum of all GPUs' buffers, by NCCL; the size is that of a "
                 "whole buffer",
     .body = [](Trial& trial) { measure_collective(trial, reduce_scatter); }}};

}  // namespace
}  // namespace gpugauge::bench::nccl
