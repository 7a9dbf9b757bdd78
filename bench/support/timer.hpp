// Clocks: the interface that times a batch, and the host's own clocks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gpugauge::bench {

/// One timed batch, as a timer reports it.
struct BatchTime {
  double seconds = 0;      ///< of the whole batch, on the timer's own clock
  double sm_clock_hz = 0;  ///< 0 = no GPU
};

/// Times batches of `operations` operations. The host timer reads the steady clock around the call. The GPU
/// timer (support/cuda) uses events behind a blocking kernel.
class Timer {
 public:
  /// Timers are destroyed through this class.
  virtual ~Timer() = default;
  /// Runs `operations` operations, 1 or more, and times them together. May throw what the operation throws.
  virtual BatchTime time_batch(std::int64_t operations) = 0;
  /// Called once before calibration: runs one un-blocked operation, then warms up.
  virtual void warm_up() = 0;
  /// "steady_clock", "cuda_event": kept in the result's notes.
  virtual std::string name() const = 0;
  /// Smallest difference the timer can tell, in seconds.
  virtual double resolution_seconds() const = 0;
  /// Upper bound for the operations of one batch (a GPU queue must not fill); 0 = none.
  virtual std::int64_t maximum_operations() const { return 0; }
  /// True when a batch's seconds are GPU work without gaps, so that the GPU is idle only between batches.
  virtual bool times_gpu_at_work() const { return false; }
};

/// The host timer: reads the steady clock before and after operations(n), which must do n operations.
class HostTimer final : public Timer {
 public:
  /// `operations` must outlive the timer.
  explicit HostTimer(const std::function<void(std::int64_t)>& operations);
  /// Seconds on the steady clock; no SM clock.
  BatchTime time_batch(std::int64_t operations) override;
  /// Runs operations for 20 ms, so that the processor's clock rises and caches and predictors fill.
  void warm_up() override;
  /// "steady_clock".
  std::string name() const override;
  /// steady_resolution_seconds().
  double resolution_seconds() const override;

 private:
  const std::function<void(std::int64_t)>& operations_;
};

/// Seconds on the steady clock since an arbitrary start.
double steady_seconds();
/// Seconds since this process began, by the kernel's clock of starts, which counts in hundredths. The first call
/// reads it; where it cannot be read, this counts from that call.
double process_seconds();
/// Processor seconds that all threads of this process have used.
double process_cpu_seconds();
/// Processor seconds that the calling thread has used.
double thread_cpu_seconds();
/// Smallest difference between two readings of the steady clock, in seconds. It is measured once, because the
/// resolution that the kernel reports is often finer than the counter's.
double steady_resolution_seconds();

}  // namespace gpugauge::bench
