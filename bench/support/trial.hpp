// One instance being measured, as a benchmark's body sees it.
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
  /// What the instance needs and the machine lacks, as a sentence for users.
  std::string reason;
  /// skipped: the instance does not apply here. unavailable: it applies, but something it needs is missing
  /// now.
  result::Status status = result::Status::skipped;
  /// The device is only in use: something else holds what the instance needs. Goes with unavailable, and
  /// becomes the note result::occupied_note.
  bool occupied = false;
};

/// This build has no code for the GPU under test. The runner turns it into a skip with what() as the reason,
/// because the GPU is not at fault.
class LacksCode : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One instance and what is recorded of it: batches, metrics, notes and checks. For one thread.
class Trial {
 public:
  /// Measures and returns the batches; the runner wraps Google Benchmark's loop around it.
  using Measure = std::function<const result::Batches&()>;
  /// Calls Measure as often as Google Benchmark asks.
  using Loop = std::function<void(const Measure&)>;
  /// Stores what finish() would return now, in case the process ends during what comes next.
  using Keep = std::function<void(result::BenchmarkResult so_far, const std::string& next)>;

  /// An empty loop measures once; an empty keep stores nothing. `instance` must outlive the trial.
  Trial(const Instance& instance, const Window& window, std::uint64_t data_seed, Loop loop = {},
        Keep keep = {});

  /// The instance under test.
  const Instance& instance() const;
  /// The value of an axis. Throws std::logic_error for an axis that the definition does not have.
  const std::string& parameter(const std::string& axis) const;
  /// The value of an axis as a number. Throws std::logic_error where it is not a number or the axis does not
  /// exist.
  std::int64_t integer(const std::string& axis) const;
  /// Seed of the input data. It is the same in every process, so that inputs are the same everywhere.
  std::uint64_t data_seed() const;

  /// Declares the work of one operation; bandwidth, throughput and rate are formed from it.
  void work(result::Work work_of_one_operation);
  /// Sets a physical bound for the metric of this name.
  void limit(const std::string& metric, result::Limit limit);
  /// Records a note on how it was measured; a later note under the same key replaces it.
  void note(const std::string& key, const std::string& value);
  /// Ends the body: the instance does not apply here. Throws Skipped.
  [[noreturn]] void skip(std::string reason);
  /// Ends the body: the instance applies here, but something it needs is in use or missing now. This skip is
  /// not silent: the command says that the instance could not be measured. `occupied`: as Skipped::occupied.
  /// Throws Skipped.
  [[noreturn]] void unavailable(std::string reason, bool occupied = false);

  /// Times `operations(n)`, which must do n operations one after another, with the steady clock. Warms up,
  /// calibrates one batch to the definition's target, then fills the window. Takes at least 20 batches unless
  /// the budget ends first. Call it once per trial: a second call throws std::logic_error. bench::measure()
  /// gives more batches, for fits.
  void time(const std::function<void(std::int64_t)>& operations);
  /// Measures with another timer. Where it times GPU work without gaps, the note "gpu_busy_share" gives the
  /// share of the window's wall time that the batches took.
  void time(Timer& timer);
  /// Records batches that the body timed itself, instead of time(). Use it where several processes must do
  /// the same steps, so that wall time cannot decide their number. `timer` is the timer's name,
  /// `resolution_seconds` its smallest difference.
  void record(result::Batches batches, const std::string& timer, double resolution_seconds);
  /// The window that time() fills.
  const Window& window() const;

  /// Adds a metric formed by the body itself. Throws std::invalid_argument when its value is not finite.
  void metric(result::Metric metric);

  /// Records a check: passes when error <= tolerance. NaN and infinity never pass.
  void verify(const std::string& method, double error, double tolerance);
  /// Records an exact check.
  void verify(const std::string& method, bool passed);
  /// Records whether the checksums of a deterministic operation, two or more, agreed. A checksum of 0 means
  /// that none was formed: it agrees with nothing.
  void verify_deterministic(const std::vector<std::uint64_t>& checksums);

  /// Records that one part of the measurement failed while the rest stands. The result is failed. Its reason
  /// is these sentences, unless a verification failed too.
  void part_failed(const std::string& sentence);
  /// Records that one part could not be measured because something else holds what it needs, while the rest
  /// stands. The result is unavailable and occupied (Skipped::occupied) unless something failed; its reason is
  /// these sentences.
  void part_occupied(const std::string& sentence);

  /// Stores what is measured and verified so far, in case the process ends during what comes `next`. `next`
  /// is a clause that continues "the process ended while" and says what is then missing. May be called again.
  /// Throws as finish() does.
  void keep_before(const std::string& next) const;

  /// Stores a failed or interrupted status with its reason, and what is measured and verified so far. Use it
  /// where the process may end before it can report. `next` as above.
  void keep_as(result::Status status, const std::string& reason, const std::string& next) const;

  /// The batches so far.
  const result::Batches& batches() const;
  /// Returns what was recorded and when; the runner calls it once after the body. A failed verification makes it
  /// `failed`. Throws std::logic_error when the body measured nothing, verified nothing, or declared no work
  /// for a quantity that needs it.
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
  std::string occupied_parts_;
};

}  // namespace gpugauge::bench
