#include <array>
#include <string>

#include "launch/fit_metrics.hpp"
#include "launch/grid.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/measure.hpp"

namespace gpugauge::bench::launch {
namespace {

constexpr std::array rounds{1, 8, 64, 256};

void grid_sync(Trial& trial) {
  require_cooperative(trial);
  const cuda::Stream stream;
  verify_grid_sync(trial, stream.get());
  Window window = trial.window();
  constexpr auto windows = static_cast<double>(rounds.size() + 1);  // one for p90 and p99
  window.seconds /= windows;
  window.budget_seconds /= windows;
  std::vector<double> counts;
  std::vector<double> seconds;
  for (const int count : rounds) {
    cuda::GpuTimer timer(trial, [count](cudaStream_t on, std::int64_t) {
      cuda::check(kernels::launch::launch_grid_sync(count, on), "launching a cooperative kernel");
    });
    counts.push_back(count);
    seconds.push_back(seconds_per_operation(measure(timer, window), Statistic::median));
    if (count == rounds.back()) add_tail(trial, timer, window, "kernel_of_" + std::to_string(count), "sync");
  }
  add_fit(trial, "sync", "per_synchronisation", counts, seconds);
  trial.note("timer", "cuda_event");
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "One synchronisation of a grid of a block a SM inside a cooperative kernel, from kernels of 1 to "
            "256 of them as a fixed part and a part for each, and p90 and p99 of the longest kernel: the way "
            "of "
            "an atomic and of a polled word "
            "through L2, for every SM")
        .bad_value("a low SM clock, another process on the GPU, a slower L2")
        .from(Depth::deep)
        .custom_metrics({"sync"})
        .requires_gpu()
        .body(grid_sync)};

}  // namespace
}  // namespace gpugauge::bench::launch
