#include "copy/peer_pairs.hpp"

namespace gpugauge::bench::copy {
namespace {

const Registration registered{
    define_peers(GPUGAUGE_BENCH_OP, {.by = PeerCopy::By::two_engines})
        .isolates(
            "Copying 256 MiB between two GPUs in both directions at once, for every pair of GPUs, one after "
            "another; the bytes of both count. All copies of a sample start together, and it ends with the "
            "slower direction. A healthy link nearly doubles")
        .bad_value(
            "what slows peer too; alone: a switch or root complex that both directions share, one copy "
            "engine for both")
        .window_share(20)};

}  // namespace
}  // namespace gpugauge::bench::copy
