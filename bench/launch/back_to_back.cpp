#include "launch/counted.hpp"
#include "support/cuda/gpu_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

void back_to_back(Trial& trial) {
  cuda::GpuTimer timer(trial, [](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::launch::launch_empty(stream), "launching an empty kernel");
  });
  trial.time(timer);
  verify_launches(trial, timer.stream());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("GPU time from one empty kernel to the next in a queue that was filled beforehand: the "
                  "GPU's own front "
                  "end, without the host; p90 and p99 are those of means over batches of half a millisecond")
        .bad_value("a low SM clock, serialising tools (profiler, sanitizer), a driver regression")
        .from(Depth::deep)
        .quantity(Quantity::latency, "launch")
        .statistics({Statistic::median, Statistic::p90, Statistic::p99})
        .batch_seconds(5e-4)  // short, so that the shortest window holds enough of them for a p99
        .requires_gpu()
        .body(back_to_back)};

}  // namespace
}  // namespace gpugauge::bench::launch
