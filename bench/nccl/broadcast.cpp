#include "nccl/collective.hpp"

namespace gpugauge::bench::nccl {
namespace {

constexpr Collective broadcast{
    .divides = false,
    .receives = Receives::total,
    .bus_factor = factor_one,
    .enqueue =
        [](const float* send, float* receive, const Layout& layout, int, int, ncclComm_t comm,
           cudaStream_t stream) {
          return ncclBroadcast(send, receive, layout.total, ncclFloat, root, comm, stream);
        },
    .expected = [](const Layout& layout, int,
                   int) { return kernels::collective::Expected{.block = layout.total}; },
};

const CollectiveRegistration registered{GPUGAUGE_BENCH_FAMILY,
                                        GPUGAUGE_BENCH_OP,
                                        {.isolates = "Rank 0's buffer on every GPU, by NCCL",
                                         .body = [](Trial& trial) { measure_collective(trial, broadcast); }}};

}  // namespace
}  // namespace gpugauge::bench::nccl
