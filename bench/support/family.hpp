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

/// What the build knows about a family.
struct FamilyInfo {
  /// The folder's name: the first word of its benchmarks' ids.
  std::string name;
  /// SHA-256 over the paths and contents of its sources, 64 hex digits.
  std::string source_hash;
  double start_seconds = 0;   ///< estimate: seconds before and after its benchmarks
  double beside_seconds = 0;  ///< estimate: seconds per benchmark beyond its window
};

/// Exit codes of a family.
enum Exit {
  exit_ok = 0,                                      ///< every benchmark is ok or skipped
  exit_failed = 1,                                  ///< a benchmark failed
  exit_usage = 2,                                   ///< a flag is wrong, or nothing matches
  exit_unavailable = 3,                             ///< the family cannot run here; the sample file says why
  exit_not_kept = result::exit_samples_not_kept,    ///< the sample file cannot be written
  exit_family_failed = result::exit_family_failed,  ///< an error outside the benchmarks; stderr says which
  exit_interrupted = 130  ///< SIGINT or SIGTERM ended it; the sample file holds what was measured
};

/// The seed of all input data. It is the same in every process, so that inputs are the same everywhere.
inline constexpr std::uint64_t input_seed = 0x6775;

/// Runs the family's registered benchmarks as the flags say. Reports its own errors on stderr and never
/// throws. Call it once per process: Google Benchmark cannot run twice.
int run_family(const FamilyInfo& family, int argc, char** argv);

/// Path of a process's sample file: `asked`, or "samples.rank3.json" beside it for rank "rank3".
std::filesystem::path samples_path(const std::filesystem::path& asked, const std::string& rank);
/// Path of the sample file when none was asked for: "nccl.JOB.rank3.json" in the working folder for rank
/// "rank3" of the family "nccl". Output that one of many processes only prints is soon lost. Returns nullopt
/// for a process that runs alone. The files of one job differ only in ".rankN", and `gpugauge fleet` groups
/// them by that.
std::optional<std::filesystem::path> samples_path(const std::string& family, const std::string& job,
                                                  const std::string& rank);

/// The window of one definition when the profile gives `seconds` per benchmark.
Window window_of(const Definition& definition, double seconds);
/// The window of one instance by result::window_seconds(); the arguments are its WindowGiven.
Window window_of(const Instance& instance, double seconds, double mean_seconds, double sustained_seconds = 0);

/// Sets the family's status from its benchmarks: ok when any is ok; else interrupted, failed or skipped, with
/// the first reason. `benchmarks` must not be empty.
void summarise(result::Samples& samples);

/// Every definition as JSON text, for docs and `gpugauge list`.
std::string describe(const FamilyInfo& family);

}  // namespace gpugauge::bench
