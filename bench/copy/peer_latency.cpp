#include "copy/peer_pairs.hpp"

namespace gpugauge::bench::copy {
namespace {

const Registration registered{
    define_peers(GPUGAUGE_BENCH_OP, {.by = PeerCopy::By::engine, .bytes = 4096})
        .isolates(
            "The time of a copy of 4 KiB from the memory of one GPU to that of another, for every ordered pair "
            "of GPUs, 128 copies in sequence behind a kernel that holds them back: what starting a copy and "
            "the way's latency take, whatever its bandwidth; not judged where nothing held them back, as on "
            "ways through host memory, because the host's enqueueing is then part of it")
        .bad_value(
            "peer access taken away by ACS or an IOMMU, so that each copy goes through host memory; a way "
            "over another socket; a link in a power-saving state")
        .window_share(5)};

}  // namespace
}  // namespace gpugauge::bench::copy
