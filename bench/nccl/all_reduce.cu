#include "nccl/collective.hpp"

namespace gpugauge::bench::nccl {
namespace {

constexpr Collective all_reduce{
    .divides = false,
    .receives_part = false,
    .bus_factor = factor_all_reduce,
    .enqueue =
        [](const float* send, float* receive, const Layout& layout, int, int, ncclComm_t comm,
           cudaStream_t stream) {
          return ncclAllReduce(send, receive, layout.total, ncclFloat, ncclSum, comm, stream);
        },
    .expected = [](const Layout&, int,
                   int ranks) { return kernels::collective::Expected{.sum = true, .ranks = ranks}; },
};

const Registration registered{
    define_collective(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .from(Depth::standard, "size", {"8B", "256MiB"})
        .isolates(
            "The sum of one fp32 buffer of every GPU, left on every GPU, by NCCL: the collective of data- "
            "parallel training. Small sizes are bound by latency, large ones by the links")
        .bad_value("another transport than before (its name is in the notes), a link that is down or narrow, "
                   "peer access taken away, settings of NCCL in the environment, another process on a GPU")
        .body([](Trial& trial) { measure_collective(trial, all_reduce); })};

}  // namespace
}  // namespace gpugauge::bench::nccl
