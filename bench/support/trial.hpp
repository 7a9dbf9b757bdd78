// One instance being measured: what a benchmark's body sees.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "result/samples.hpp"
#include "support/definition.hpp"
#include "support/measure.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench {

/// Thrown by Trial::skip and Trial::unavailable: the instance is not measured. Not an error.
struct Skipped {
  /// What the instance needs and the machine lacks, for people.
  std::string reason;
  /// skipped: it does not apply here. unavailable: it does, and what it needs is missing now.
  result::Status status = result::Status::skipped;
};

/// This build has no code of what is measured for the GPU that is here: the runner makes it a skip with
/// what() as reason, since no GPU is to blame.
class LacksCode : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One instance and what is recorded of it: its batches, metrics, notes and checks. For one thread.
class Trial {
 public:
  /// Measures and returns the batches; the runner wraps Google Benchmark's loop around it.
  using Measure = std::function<const result::Batches&()>;
  /// Calls Measure as often as Google Benchmark asks.
  using Loop = std::function<void(const Measure&)>;
  /// Stores what finish() would give now, for the case that the process ends in what comes next.
  using Keep = std::function<void(result::BenchmarkResult so_far, const std::string& next)>;

  /// An empty loop just measures, an empty keep stores nothing. `instance` must outlive the trial.
  Trial(const Instance& instance, const Window& window, std::uint64_t data_seed, Loop loop = {},
        Keep keep = {});

  /// What is measured.
  const Instance& instance() const;
  /// The value of an axis. Throws std::logic_error for an axis that the definition does not have.
  const std::string& parameter(const std::string& axis) const;
  /// The same as a number. Throws std::logic_error where the value is none.
  std::int64_t integer(const std::string& axis) const;
  /// Seed of the input data: the same for every process, so that inputs are the same everywhere.
  std::uint64_t data_seed() const;

  /// Declares the work of one operation (what bandwidth, throughput and rate are formed from).
  void work(result::Work work_of_one_operation);
  /// A physical bound for the metric of this name.
  void limit(const std::string& metric, result::Limit limit);
  /// Keeps a word about how it was measured; the last one under a key stands.
  void note(const std::string& key, const std::string& value);
  /// Ends the body: the instance does not apply here. Throws Skipped.
  [[noreturn]] void skip(std::string reason);
  /// Ends the body: the instance applies here, and what it needs is taken by something else or missing now.
  /// No silent skip: the command says that it could not be measured. Throws Skipped.
  [[noreturn]] void unavailable(std::string reason);

  /// Times `operations(n)`, which must do n operations one after another, with the steady clock. Warms up,
  /// calibrates one batch to the definition's target, then fills the window; at least 20 batches unless the
  /// budget ends first. Once a trial: a second call throws std::logic_error (bench::measure() gives more
  /// batches, for fits).
  void time(const std::function<void(std::int64_t)>& operations);
  /// The same with another timer. Where it times a GPU at work, the note "gpu_busy_share" says how much of
  /// the window's wall time the batches were.
  void time(Timer& timer);
  /// Batches that the body timed itself, instead of time(): where several processes must do the same steps,
  /// and wall time may not decide how many. `timer` is its name, `resolution_seconds` the smallest difference
  /// it tells.
  void record(result::Batches batches, const std::string& timer, double resolution_seconds);
  /// The window that time() fills.
  const Window& window() const;

  /// A metric formed by the body itself. Throws std::invalid_argument when value is not finite.
  void metric(result::Metric metric);

  /// Records a check: passes when error <= tolerance. NaN and infinity never pass.
  void verify(const std::string& method, double error, double tolerance);
  /// Records an exact check.
  void verify(const std::string& method, bool passed);
  /// Records that the checksums of a deterministic operation, two or more, agreed. 0 is what is left where no
  /// checksum was formed: it agrees with nothing.
  void verify_deterministic(const std::vector<std::uint64_t>& checksums);

  /// A part of what is measured failed, and the rest stands beside it: the result is failed, with these
  /// sentences as reason unless a verification failed, too.
  void part_failed(const std::string& sentence);

  /// What is measured and verified until now stands for itself, and shall not be lost when the process ends
  /// in what comes `next`: a clause that goes on from "the process ended while" and says what is lacking
  /// then. May be called again. Throws as finish() does.
  void keep_before(const std::string& next) const;

  /// The benchmark has failed, or is interrupted, for that reason, and the process may not live to say so
  /// itself: keeps that, beside what it has measured and verified. `next` as above.
  void keep_as(result::Status status, const std::string& reason, const std::string& next) const;

  /// The batches so far.
  const result::Batches& batches() const;
  /// What was recorded; called once by the runner after the body. A failed verification makes it `failed`.
  /// Throws std::logic_error when the body measured nothing, verified nothing, or declared no work for a
  /// quantity that needs it.
  result::BenchmarkResult finish();

 private:
  void form_metrics();

  const Instance& instance_;
  Window window_;
  std::uint64_t data_seed_;
  Loop loop_;
  Keep keep_;
  bool timed_ = false;
  double resolution_seconds_ = 0;
  result::BenchmarkResult result_;
  std::vector<std::pair<std::string, result::Limit>> limits_;
  std::string failed_parts_;
};

}  // namespace gpugauge::bench
