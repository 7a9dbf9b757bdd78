#include "host/stream_benchmark.hpp"

namespace gpugauge::bench::host {
namespace {

const Registration registered{
    stream_benchmark(GPUGAUGE_BENCH_OP, Stream::Kind::copy,
                     "Streaming bandwidth of host memory: STREAM copy, two streams, a[i] = b[i], 16 bytes an "
                     "element, arrays larger than the caches.")};

}  // namespace
}  // namespace gpugauge::bench::host
