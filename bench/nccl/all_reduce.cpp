#include "nccl/collective.hpp"

namespace gpugauge::bench::nccl {
namespace {

constexpr Collective all_reduce{
    .divides = false,
    .receives = Receives::total,
    .bus_factor = factor_all_reduce,
    .enqueue =
        [](const float* send, float* receive, const Layout& layout, int, int, ncclComm_t comm,
           cudaStream_t stream) {
          return ncclAllReduce(send, receive, layout.total, ncclFloat, ncclSum, comm, stream);
        },
    .expected = [](const Layout&, int,
                   int ranks) { return kernels::collective::Expected{.sum = true, .ranks = ranks}; },
};

const CollectiveRegistration registered{
    GPUGAUGE_BENCH_FAMILY,
    GPUGAUGE_BENCH_OP,
    {.isolates =
         "The sum of one fp32 buffer of every GPU, left on every GPU, by NCCL: the collective of data-"
         "parallel training. Small sizes are bound by latency, large ones by the links",
     .body = [](Trial& trial) { measure_collective(trial, all_reduce); },
     .depth_8b = Depth::quick,
     .depth_256mib = Depth::quick}};

}  // namespace
}  // namespace gpugauge::bench::nccl
