#include "copy/peer_pairs.hpp"

namespace gpugauge::bench::copy {
namespace {

const Registration registered{
    define_peers(GPUGAUGE_BENCH_OP, {.by = PeerCopy::By::engine})
        .isolates("Copying 256 MiB from the memory of one GPU to that of another, for every ordered pair of "
                  "GPUs, one after another, up to 16 copies behind a kernel that holds them back; on slow "
                  "ways fewer copies, and of less")
        .bad_value(
            "an NVLink that is down, peer access taken away by ACS or an IOMMU, a pair on two sockets, a "
            "PCIe link that is narrow")
        .window_share(20)
        .from(Depth::quick)};

}  // namespace
}  // namespace gpugauge::bench::copy
