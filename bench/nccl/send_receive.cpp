#include "nccl/collective.hpp"

namespace gpugauge::bench::nccl {
namespace {

constexpr Collective send_receive{
    .divides = false,
    .receives = Receives::total,
    .bus_factor = factor_one,
    .enqueue =
        [](const float* send, float* receive, const Layout& layout, int rank, int ranks, ncclComm_t comm,
           cudaStream_t stream) {
          const int next = (rank + 1) % ranks;
          const int before = (rank + ranks - 1) % ranks;
          ncclResult_t code = ncclGroupStart();
          if (code == ncclSuccess) code = ncclSend(send, layout.total, ncclFloat, next, comm, stream);
          if (code == ncclSuccess) code = ncclRecv(receive, layout.total, ncclFloat, before, comm, stream);
          const ncclResult_t end = ncclGroupEnd();
          return code == ncclSuccess ? end : code;
        },
    .expected =
        [](const Layout& layout, int rank, int ranks) {
          return kernels::collective::Expected{.first_rank = (rank + ranks - 1) % ranks,
                                               .block = layout.total};
        },
};

const CollectiveRegistration registered{
    GPUGAUGE_BENCH_FAMILY,
    GPUGAUGE_BENCH_OP,
    {.isolates = "Every GPU sends its buffer to the next one of a ring and receives from the one before, by "
                 "NCCL: the traffic of pipeline parallelism, each way at the same time",
     .body = [](Trial& trial) { measure_collective(trial, send_receive); },
     .depth_256mib = Depth::standard}};

}  // namespace
}  // namespace gpugauge::bench::nccl
