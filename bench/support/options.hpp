// The command line of a family: our own flags, and the flags of Google Benchmark that we handle ourselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/definition.hpp"

namespace gpugauge::bench {

/// What the flags say.
struct Options {
  std::optional<std::filesystem::path> samples;  ///< --gpugauge_samples=FILE
  std::optional<std::uint64_t> seed;     ///< --gpugauge_seed=N; without it the order is that of the ids
  std::optional<double> window_seconds;  ///< --gpugauge_window=SECONDS or --benchmark_min_time=SECONDS[s]
  double mean_window_seconds = 0;        ///< --gpugauge_mean_window=SECONDS; see window_of()
  double sustained_seconds = 0;          ///< --gpugauge_sustained=SECONDS; see window_of()
  std::optional<std::filesystem::path> only;  ///< --gpugauge_only=FILE
  std::optional<Depth> depth;                 ///< --gpugauge_depth=DEPTH; without it every instance
  std::optional<int> parent;                  ///< --gpugauge_parent=PID
  std::string child;                          ///< --gpugauge_child=NAME: plays that role; "" = measure
  bool describe = false;                      ///< --gpugauge_describe
  bool list = false;                          ///< --benchmark_list_tests
  bool help = false;                          ///< --help
  std::string filter;                         ///< --benchmark_filter=REGEX, "-REGEX" for all others; "" = all
  std::vector<std::string> rest;              ///< arguments passed on to Google Benchmark

  /// The window that the definition has a share of. Where no flag says one, it is a second, and for sustained
  /// load the window that the profiles give a GPU, so that a minute of load lasts a minute.
  double window_for(const Definition& definition) const;
};

/// `arguments` without the program's name. Throws result::UsageError for an unknown --gpugauge_ flag or a bad
/// value.
Options parse_options(const std::vector<std::string>& arguments);

/// What --help prints before Google Benchmark's own flags.
std::string help_text(const std::string& family);

/// Returns the instances selected by depth, filter and only, in seeded order. The shuffle is Fisher-Yates
/// with the 64-bit Mersenne Twister, so it is the same on every platform. `only` may name benchmarks of other
/// families, because one file serves all. Throws result::UsageError for a bad regular expression, for an
/// unknown id of this family in `only`, and when nothing is left.
std::vector<Instance> choose(std::vector<Instance> all, const Options& options,
                             const std::optional<std::vector<std::string>>& only);

/// Reads a file of one id per line; skips empty lines. Throws result::FileError.
std::vector<std::string> read_ids(const std::filesystem::path& file);

}  // namespace gpugauge::bench
