#include "kernels/launch/cooperative.hpp"

#include "launch/grid.hpp"
#include "support/cuda/gpu_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

void cooperative(Trial& trial) {
  require_cooperative(trial);
  cuda::GpuTimer timer(trial, [](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::launch::launch_grid_sync(0, stream), "launching a cooperative kernel");
  });
  trial.time(timer);
  verify_grid_sync(trial, timer.stream());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "GPU time from one cooperative kernel of a block a SM to the next, in a queue that was filled "
            "beforehand: what the promise that all blocks run together costs; p90 and p99 are those of means "
            "over "
            "batches of half a millisecond")
        .bad_value("a low SM clock, another process on the GPU, serialising tools, a driver regression")
        .from(Depth::deep)
        .quantity(Quantity::latency, "launch")
        .statistics({Statistic::median, Statistic::p90, Statistic::p99})
        .batch_seconds(5e-4)  // short, so that the shortest window holds enough of them for a p99
        .requires_gpu()
        .body(cooperative)};

}  // namespace
}  // namespace gpugauge::bench::launch
