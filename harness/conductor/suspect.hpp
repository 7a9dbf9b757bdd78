// The slow figure that a probe repeats.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conductor/probe_run.hpp"

namespace gpugauge::conductor {

/// A metric judged slower, and its reference.
struct Suspect {
  const Benchmark* benchmark = nullptr;  ///< the benchmark that measures it; points into the catalogue
  std::string key;                       ///< result::metric_key of the metric
  double reference = 0;                  ///< value at which slowness is 1, > 0
  result::Direction better = result::Direction::lower;  ///< better direction of the metric
  double slowness = 1;                                  ///< slowness as judged

  /// Slowness of a value; nullopt for a value that is not above 0.
  std::optional<double> slowness_of(double value) const;
  /// True for a single-threaded host benchmark, which pins its thread to the last allowed processor. Given
  /// more processors, it may stay on the same slow one.
  bool pins_its_thread() const;
};

/// The slowest metric of these classes (empty = all) that an installed family can repeat. It either regressed
/// against the baseline or missed its physical limit. Advisory metrics do not count. Two values of `where`
/// exclude metrics: idle processors exclude those that use all processors, because fewer are slower anyway.
/// All processors exclude the mean share, which a busy processor lowers as before.
std::optional<Suspect> find_suspect(const ProbeContext& context, const std::vector<std::string_view>& classes,
                                    diagnose::Processors where = diagnose::Processors::as_they_are);

/// The benchmark of the share of a processor that computing threads get; nullopt where it is not installed.
std::optional<Suspect> share_benchmark(const ProbeContext& context);

/// A benchmark of another family in the suspect's class, with its baseline value. The baseline has it and
/// this check did not measure it. nullopt where there is none.
std::optional<Suspect> find_other_library(const ProbeContext& context, const Suspect& slow);

}  // namespace gpugauge::conductor
