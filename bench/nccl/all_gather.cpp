#include "nccl/collective.hpp"

namespace gpugauge::bench::nccl {
namespace {

constexpr Collective all_gather{
    .divides = true,
    .receives = Receives::total,
    .bus_factor = factor_all_gather,
    .enqueue =
        [](const float* send, float* receive, const Layout& layout, int, int, ncclComm_t comm,
           cudaStream_t stream) {
          return ncclAllGather(send, receive, layout.part, ncclFloat, comm, stream);
        },
    .expected = [](const Layout& layout, int,
                   int) { return kernels::collective::Expected{.block = layout.part}; },
};

const CollectiveRegistration registered{
    GPUGAUGE_BENCH_FAMILY,
    GPUGAUGE_BENCH_OP,
    {.isolates = "Every GPU gets the parts of all GPUs, by NCCL; the size is that of all parts together",
     .body = [](Trial& trial) { measure_collective(trial, all_gather); }}};

}  // namespace
}  // namespace gpugauge::bench::nccl
