#include "support/cuda/gpu_timer.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "support/cuda/device.hpp"
#include "support/warm_up.hpp"

namespace gpugauge::bench::cuda {

namespace {

// Enqueueing half a queue takes a few milliseconds; a host that needs a second was suspended.
constexpr double batch_timeout_seconds = 1;
constexpr int own_launches = 6;

// When the GPU's power limit was last seen to act in this process, by steady_seconds(): work that draws much
// power ran at a clock clearly below the highest. A process loads one GPU.
double limited_until = -std::numeric_limits<double>::infinity();

// When memory-bound work last ran in this process, by steady_seconds().
double memory_busy_until = -std::numeric_limits<double>::infinity();

bool is_limited(double sm_clock_hz) {
  constexpr double clearly = 0.95;
  const double highest = device().sm_clock_max_hz;
  return sm_clock_hz > 0 && highest > 0 && sm_clock_hz < clearly * highest;
}

}  // namespace

GpuTimer::GpuTimer(Trial& trial, Operation operation, Options options)
    : trial_(trial),
      operation_(std::move(operation)),
      options_(options),
      use_blocker_(!queue().synchronous),
      power_heavy_(trial.instance().definition->draws_much_power()),
      bound_by_memory_(is_bound_by_memory(trial.instance())) {
  trial_.note("synchronous_launch", use_blocker_ ? "false" : "true");
  trial_.note("queue_depth", fmt::format("{}", queue().depth));
  // Loads the stamp kernel: while the stream is held, its first launch could wait for the blocker.
  stamps_.begin(stream_.get());
  stamps_.end(stream_.get());
  stream_.synchronize();
}

GpuTimer::~GpuTimer() {
  cudaStreamSynchronize(stream_.get());
}

std::int64_t GpuTimer::maximum_operations() const {
  if (!use_blocker_) return 0;
  return std::max<std::int64_t>(1, (queue().depth / 2 - own_launches) / options_.launches_per_operation);
}

BatchTime GpuTimer::run(std::int64_t operations, bool blocked) {
  {
    const Blocker::Hold hold = blocked ? blocker_.hold(stream_.get(), batch_timeout_seconds) : nullptr;
    stamps_.begin(stream_.get());
    start_.record(stream_.get());
    for (std::int64_t i = 0; i < operations; ++i) operation_(stream_.get(), next_++);
    stop_.record(stream_.get());
    stamps_.end(stream_.get());
  }
  stream_.synchronize();
  if (!stamps_.ran())
    throw std::runtime_error(
        "kernels were launched without an error and did not run: what they should have written is not there");
  const BatchTime batch{seconds_between(start_, stop_), stamps_.hertz()};
  if (trial_.instance().definition->draws_much_power() && is_limited(batch.sm_clock_hz))
    limited_until = steady_seconds();
  if (bound_by_memory_) memory_busy_until = steady_seconds();
  return batch;
}

BatchTime GpuTimer::time_batch(std::int64_t operations) {
  if (!use_blocker_) return run(operations, false);
  BatchTime batch = run(operations, true);
  if (!blocker_.timed_out()) return batch;
  // The batch waited for the blocker, or the host was suspended. Once may be the host; twice is the queue.
  batch = run(operations, true);
  if (!blocker_.timed_out()) {
    trial_.note("blocker", "timed out once; that batch was repeated");
    return batch;
  }
  use_blocker_ = false;
  trial_.note("blocker",
              fmt::format("timed out with {} operations enqueued; measured without it", operations));
  return run(operations, false);
}

void GpuTimer::warm_up() {
  const WarmUp& heavy = power_warm_up_after(steady_seconds() - limited_until);
  const double idle = steady_seconds() - memory_busy_until;
  load();
  WarmUp brief{.longest = options_.warm_seconds,
               .shortest = options_.warm_seconds / 5,
               .reading_seconds = options_.warm_seconds / 20};
  if (bound_by_memory_) brief.longest_unsettled = memory_settles_seconds(idle);
  const Warmed warmed = warm_until_steady(power_heavy_ ? heavy : brief,
                                          [this](std::int64_t operations) { return run(operations, false); });
  constexpr double clearly_longer = 1.5;
  if (power_heavy_ || warmed.seconds > clearly_longer * brief.longest)
    trial_.note("warm_up_seconds", fmt::format("{:.2f}", warmed.seconds));
  if (power_heavy_ && !warmed.steady)
    trial_.note("warm_up", "ended before throughput and SM clock were steady");
  else if (!warmed.settled)
    trial_.note("warm_up", "ended before throughput was flat: the memory clock may still have been rising");
}

}  // namespace gpugauge::bench::cuda
