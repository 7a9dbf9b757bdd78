// One family process: reads the flags, measures the chosen benchmarks in seeded order, writes the sample
// file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "result/family_exit.hpp"
#include "result/samples.hpp"
#include "support/definition.hpp"
#include "support/measure.hpp"

namespace gpugauge::bench {

/// What the build knows of a family.
struct FamilyInfo {
  /// The folder's name: what its benchmarks' ids begin with.
  std::string name;
  /// SHA-256 over the paths and contents of the sources that it is made of, 64 hex digits.
  std::string source_hash;
  double start_seconds = 0;   ///< estimate: what a process takes before and after its benchmarks
  double beside_seconds = 0;  ///< estimate: what a benchmark takes beside its window
};

/// Exit codes of a family.
enum Exit {
  exit_ok = 0,                                    ///< every benchmark is ok or skipped
  exit_failed = 1,                                ///< a benchmark failed
  exit_usage = 2,                                 ///< a flag is wrong, or nothing matches
  exit_unavailable = 3,                           ///< the family cannot run here; the sample file says why
  exit_not_kept = result::exit_samples_not_kept,  ///< the sample file cannot be written
  exit_interrupted = 130  ///< SIGINT or SIGTERM ended it; the sample file holds what was measured
};

/// The seed of all input data: the same in every process, so that inputs are the same everywhere.
inline constexpr std::uint64_t input_seed = 0x6775;

/// Runs the family's registered benchmarks as the flags say. Reports its own errors on stderr; never throws.
/// Once a process: Google Benchmark does not survive a second round.
int run_family(const FamilyInfo& family, int argc, char** argv);

/// Where a process writes its samples: the file asked for, or "samples.rank3.json" beside it for rank
/// "rank3".
std::filesystem::path samples_path(const std::filesystem::path& asked, const std::string& rank);
/// The same where no file was asked for: in the working folder "nccl.JOB.rank3.json" for rank "rank3" of the
/// family "nccl", since what only one of many processes prints is soon lost; nullopt for a process that
/// stands alone. Ranks of one job differ in ".rankN" alone, by which `gpugauge fleet` takes them together.
std::optional<std::filesystem::path> samples_path(const std::string& family, const std::string& job,
                                                  const std::string& rank);

/// The window of one definition when the profile gives `seconds` a benchmark.
Window window_of(const Definition& definition, double seconds);
/// The same for an instance. Where a mean is formed of what the profile smoke measures, the window is not
/// shorter than `mean_seconds`: each class keeps one mean that is judged when windows are short. That of a
/// sustained definition lasts `sustained_seconds` where that is above 0.
Window window_of(const Instance& instance, double seconds, double mean_seconds, double sustained_seconds = 0);

/// The family's own status, from its benchmarks: ok when any is ok; else interrupted, failed or skipped, with
/// the first reason. `benchmarks` must not be empty.
void summarise(result::Samples& samples);

/// Every definition as JSON text, for docs and `gpugauge list`.
std::string describe(const FamilyInfo& family);

}  // namespace gpugauge::bench
