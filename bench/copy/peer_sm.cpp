#include "copy/peer_pairs.hpp"

namespace gpugauge::bench::copy {
namespace {

const Registration registered{
    define_peers(GPUGAUGE_BENCH_OP, {.by = PeerCopy::By::kernel})
        .isolates(
            "The same copies as those of peer, by a kernel on the SMs of the sending GPU that writes to the "
            "other's memory: the way of NCCL's kernels. Only between GPUs with peer access")
        .bad_value("what slows peer too; alone: small requests on the link, translation of the other GPU's "
                   "addresses")
        .window_share(20)};

}  // namespace
}  // namespace gpugauge::bench::copy
