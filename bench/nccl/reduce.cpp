#include "nccl/collective.hpp"

namespace gpugauge::bench::nccl {
namespace {

constexpr Collective reduce{
    .divides = false,
    .receives = Receives::total_at_root,
    .bus_factor = factor_one,
    .enqueue =
        [](const float* send, float* receive, const Layout& layout, int, int, ncclComm_t comm,
           cudaStream_t stream) {
          return ncclReduce(send, receive, layout.total, ncclFloat, ncclSum, root, comm, stream);
        },
    .expected = [](const Layout&, int,
                   int ranks) { return kernels::collective::Expected{.sum = true, .ranks = ranks}; },
};

const CollectiveRegistration registered{
    GPUGAUGE_BENCH_FAMILY,
    GPUGAUGE_BENCH_OP,
    {.isolates =
         "The sum of one fp32 buffer of every GPU, left on rank 0, by NCCL; the others receive nothing",
     .body = [](Trial& trial) { measure_collective(trial, reduce); }}};

}  // namespace
}  // namespace gpugauge::bench::nccl
