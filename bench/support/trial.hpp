// One instance being measured: what a benchmark's body sees.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "result/samples.hpp"
#include "support/definition.hpp"

namespace benchmark {
class State;
}

namespace gpugauge::bench {

/// Thrown by Trial::skip: the instance does not apply here. Not an error.
struct Skipped {
  std::string reason;
};

/// One timed batch, as a timer reports it.
struct BatchTime {
  double seconds = 0;      ///< of the whole batch, on the timer's own clock
  double sm_clock_hz = 0;  ///< 0 = no GPU
};

/// Times batches of `operations` operations. The host timer reads the steady clock around the call; the GPU timer
/// (support/cuda) uses events behind a blocking kernel.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual BatchTime time_batch(std::int64_t operations) = 0;
  /// Called once before calibration: first un-blocked execution, then warm-up.
  virtual void warm_up() = 0;
  /// "steady_clock", "cuda_event": kept in the result's notes.
  virtual std::string name() const = 0;
  /// Smallest difference the timer can tell, in seconds.
  virtual double resolution_seconds() const = 0;
  /// Upper bound for the operations of one batch (a GPU queue must not fill); 0 = none.
  virtual std::int64_t maximum_operations() const { return 0; }
};

class Trial {
 public:
  Trial(const Instance& instance, benchmark::State& state, std::uint64_t seed);

  const Instance& instance() const;
  /// The value of an axis. Throws std::logic_error for an axis that the definition does not have.
  const std::string& parameter(const std::string& axis) const;
  std::int64_t integer(const std::string& axis) const;
  /// Seed of the input data: the same for every process, so that inputs are the same everywhere.
  std::uint64_t data_seed() const;

  /// Declares the work of one operation. Call before time().
  void work(result::Work work_of_one_operation);
  /// A physical bound for the metric of this name.
  void limit(const std::string& metric, result::Limit limit);
  void note(const std::string& key, const std::string& value);
  [[noreturn]] void skip(std::string reason);

  /// Times `operations(n)`, which must do n operations one after another, with the steady clock. Warms up, calibrates
  /// one batch to the definition's target, then fills the window; at least 20 batches unless the budget ends first.
  void time(const std::function<void(std::int64_t)>& operations);
  /// The same with another timer.
  void time(Timer& timer);

  /// A metric formed by the body itself. Throws std::invalid_argument when value is not finite.
  void metric(result::Metric metric);

  /// Records a check: passes when error <= tolerance. NaN and infinity never pass.
  void verify(const std::string& method, double error, double tolerance);
  /// Records an exact check.
  void verify(const std::string& method, bool passed);
  /// Records that `repeats` checksums of a deterministic operation agreed.
  void verify_deterministic(const std::vector<std::uint64_t>& checksums);

  /// The batches so far.
  const result::Batches& batches() const;
  /// What was recorded; called once by the runner after the body. A failed verification makes it `failed`.
  result::BenchmarkResult finish();

 private:
  const Instance& instance_;
  benchmark::State& state_;
  std::uint64_t seed_;
  result::BenchmarkResult result_;
  std::vector<std::pair<std::string, result::Limit>> limits_;
};

}  // namespace gpugauge::bench
