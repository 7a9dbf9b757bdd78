#include <algorithm>
#include <array>

#include "kernels/support/sm_clock.hpp"
#include "launch/counted.hpp"
#include "launch/fit_metrics.hpp"
#include "support/cuda/environment.hpp"
#include "support/interrupt.hpp"
#include "support/measure.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::launch {
namespace {

constexpr std::uint64_t kernel_nanoseconds = 50'000;
constexpr int launches_ahead = 32;  // per half: 1.6 ms of work

/// What the process spent while it kept the GPU busy.
struct Spent {
  double wall = 0;
  double cpu = 0;
  std::int64_t launches = 0;
};

// Keeps two bursts of kernels in the queue; the host sleeps until the older one has ended.
Spent keep_busy(const cuda::Stream& stream, double seconds) {
  const std::array<cuda::Event, 2> ended{cuda::Event(cudaEventBlockingSync | cudaEventDisableTiming),
                                         cuda::Event(cudaEventBlockingSync | cudaEventDisableTiming)};
  const auto burst = [&](const cuda::Event& event) {
    for (int i = 0; i < launches_ahead; ++i)
      cuda::check(kernels::launch_spin(kernel_nanoseconds, stream.get()), "launching a spinning kernel");
    event.record(stream.get());
  };
  burst(ended[0]);
  burst(ended[1]);
  cuda::check(cudaEventSynchronize(ended[0].get()), "waiting for an event");
  Spent spent;
  const double start = steady_seconds();
  const double cpu_start = process_cpu_seconds();
  for (std::size_t turn = 0; spent.wall < seconds; turn = 1 - turn) {
    if (interrupted()) throw Interrupted{};
    burst(ended[turn]);
    cuda::check(cudaEventSynchronize(ended[1 - turn].get()), "waiting for an event");
    spent.launches += launches_ahead;
    spent.wall = steady_seconds() - start;
  }
  spent.cpu = process_cpu_seconds() - cpu_start;
  stream.synchronize();
  return spent;
}

void kept_busy(Trial& trial) {
  const cuda::Stream stream;
  keep_busy(stream, 0.05);  // loads the kernel and wakes the clocks
  const Spent spent = keep_busy(stream, trial.window().seconds);
  const auto launches = static_cast<double>(spent.launches);

  result::Metric load;
  load.name = "cpu_load";
  load.unit = "1";
  load.better = result::Direction::lower;
  load.metric_class = "launch";
  load.statistic = "mean";
  load.value = rounded(spent.cpu / spent.wall);
  load.judged = spent.cpu > 0;
  load.note = "processor seconds of the whole process over wall seconds";
  trial.metric(std::move(load));
  trial.metric(seconds_metric("cpu_per_launch", "launch", "mean", spent.cpu / launches));
  result::Metric wall = seconds_metric("wall_per_launch", "launch", "mean", spent.wall / launches);
  trial.metric(std::move(wall));
  const double busy = launches * static_cast<double>(kernel_nanoseconds) * 1e-9 / spent.wall;
  trial.note("gpu_busy_share", std::to_string(busy));
  trial.note("timer", "steady_clock");
  trial.note("launches", std::to_string(spent.launches));
  // Consecutive spinning kernels cannot have done more work than the wall time.
  trial.verify("work done beyond the wall time, as a share of it", std::max(0.0, busy - 1), 0.01);
  verify_launches(trial, stream.get());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Processor load of a process that keeps the GPU busy with kernels of 50 us, launching ahead and "
            "sleeping in between; processor time of a launch with its share of waiting and waking; wall time "
            "of a launch, 50 us and the gap behind each kernel")
        .bad_value(
            "a synchronisation that spins where it should sleep, an attached tool, a slow or throttled "
            "processor; wall time far above 50 us: the GPU runs out of work, or the driver's threads do")
        .from(Depth::standard)
        .custom_metrics({"launch"})
        .requires_gpu()
        .body(kept_busy)};

}  // namespace
}  // namespace gpugauge::bench::launch
