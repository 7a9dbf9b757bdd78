// Host time of single operations. Each is timed alone, so that p99 is that of operations and not of batches.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/cuda/busy_gpu.hpp"
#include "support/cuda/environment.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// A timer that also keeps the time of each operation. For one thread.
class OperationTimer final : public Timer {
 public:
  /// Times `operation`; runs `prepare` before every batch, untimed. `most` bounds a batch so that the
  /// stream's queue does not fill; 0 = none. `known_seconds` is subtracted from each operation's time. Use it
  /// for time spent on something else, such as a kernel of known duration.
  OperationTimer(std::function<void()> operation, std::function<void()> prepare, std::int64_t most,
                 double known_seconds = 0);

  /// Makes warm_up() begin with `spin` until the SM clock is flat, for at most 0.1 s. Single operations leave
  /// a GPU almost idle, and some GPUs then lower their clocks. The timed work is unchanged. add_metrics()
  /// then notes the clock of the warm-up, and that of one millisecond right after the window.
  void watch_clock(Spin spin) { spin_ = std::move(spin); }

  /// Seconds of the batch, less the cost of the clock readings, which was measured before.
  BatchTime time_batch(std::int64_t operations) override;
  /// Runs operations that are not counted, and forgets the times kept so far.
  void warm_up() override;
  /// "steady_clock".
  std::string name() const override { return "steady_clock"; }
  /// steady_resolution_seconds().
  double resolution_seconds() const override;
  /// `most` of the constructor.
  std::int64_t maximum_operations() const override { return most_; }

  /// Seconds of each operation timed since warm-up, up to about a million.
  const std::vector<float>& seconds() const { return seconds_; }
  /// Processor seconds of the calling thread per operation; 0 before the first.
  double cpu_per_operation() const {
    return cpu_operations_ > 0 ? cpu_seconds_ / static_cast<double>(cpu_operations_) : 0;
  }
  /// Seconds per clock reading: the mean of 32 readings taken after the operations of each batch since
  /// warm-up. For the first 16384 batches.
  const std::vector<float>& clock_readings() const { return clock_readings_; }
  /// The slow end beyond the p90 that add_metrics() tells of.
  enum class SlowEnd {
    p99,      ///< "operation_p99": recorded and not judged where there are fewer than 100 operations
    maximum,  ///< "operation_maximum", for benchmarks that never have as many; never judged
  };
  /// Adds "operation_mean", "operation_p50", "operation_p90" and the slow end of all operations timed since
  /// warm-up. With `cpu_time` it adds "cpu_per_operation", the thread's processor time. All are in seconds,
  /// lower is better, of class `metric_class`. The median of clock_readings() is recorded as
  /// result::clock_reading: a judge reads it beside the others.
  void add_metrics(Trial& trial, const std::string& metric_class, bool cpu_time,
                   SlowEnd slow_end = SlowEnd::p99) const;

 private:
  std::function<void()> operation_;
  std::function<void()> prepare_;
  std::int64_t most_;
  double known_seconds_;
  Spin spin_;                 // empty: the clock is not read
  double warm_clock_hz_ = 0;  // 0 = unknown
  double clock_cost_ = 0;
  std::vector<float> seconds_;         // of single operations
  std::vector<float> clock_readings_;  // one per batch
  double cpu_seconds_ = 0;
  std::int64_t cpu_operations_ = 0;
};

}  // namespace gpugauge::bench::cuda
