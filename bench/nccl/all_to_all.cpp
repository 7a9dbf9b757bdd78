#include "nccl/collective.hpp"

namespace gpugauge::bench::nccl {
namespace {

constexpr Collective all_to_all{
    .divides = true,
    .receives = Receives::total,
    .bus_factor = factor_all_gather,
    .enqueue =
        [](const float* send, float* receive, const Layout& layout, int, int ranks, ncclComm_t comm,
           cudaStream_t stream) {
          ncclResult_t code = ncclGroupStart();
          for (int peer = 0; peer < ranks && code == ncclSuccess; ++peer) {
            const std::size_t at = layout.part * static_cast<std::size_t>(peer);
            code = ncclSend(send + at, layout.part, ncclFloat, peer, comm, stream);
            if (code == ncclSuccess)
              code = ncclRecv(receive + at, layout.part, ncclFloat, peer, comm, stream);
          }
          const ncclResult_t end = ncclGroupEnd();
          return code == ncclSuccess ? end : code;
        },
    .expected =
        [](const Layout& layout, int rank, int) {
          return kernels::collective::Expected{.block = layout.part,
                                               .base = layout.part * static_cast<std::uint64_t>(rank)};
        },
};

const CollectiveRegistration registered{
    GPUGAUGE_BENCH_FAMILY,
    GPUGAUGE_BENCH_OP,
    {.isolates = "Every GPU sends another part of its buffer to every GPU, by sends and receives of NCCL in "
                 "one group: the traffic of mixtures of experts",
     .body = [](Trial& trial) { measure_collective(trial, all_to_all); },
     .depth_256mib = Depth::standard}};

}  // namespace
}  // namespace gpugauge::bench::nccl
