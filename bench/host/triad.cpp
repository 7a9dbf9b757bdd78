#include "host/stream_benchmark.hpp"

namespace gpugauge::bench::host {
namespace {

const Registration registered{stream_benchmark(
    GPUGAUGE_BENCH_OP, Stream::Kind::triad,
    "Streaming bandwidth of host memory: STREAM triad, three streams, a[i] = b[i] + s * c[i], "
    "24 bytes an element, arrays larger than the caches.")};

}  // namespace
}  // namespace gpugauge::bench::host
