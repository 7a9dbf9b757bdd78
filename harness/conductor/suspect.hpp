// The slow figure that a probe repeats.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conductor/probe_run.hpp"

namespace gpugauge::conductor {

/// A metric that was judged slower, and what it was slower than.
struct Suspect {
  const Benchmark* benchmark = nullptr;                 ///< that measures it; points into the catalogue
  std::string key;                                      ///< of the metric, result::metric_key
  double reference = 0;                                 ///< its value where slowness is 1, > 0
  result::Direction better = result::Direction::lower;  ///< of the metric
  double slowness = 1;                                  ///< as judged

  /// Slowness of a value; nullopt for one that is not above 0.
  std::optional<double> slowness_of(double value) const;
};

/// The slowest metric of these classes (all, where none is named) that a family here can repeat: regressed
/// against the baseline, or below its physical limit. Advisory ones do not count. `one_thread`: not one that
/// uses all processors, which fewer of them would slow by themselves.
std::optional<Suspect> find_suspect(const ProbeContext& context, const std::vector<std::string_view>& classes,
                                    bool one_thread = false);

/// The share of their processors that threads get which only compute; nullopt where it is not installed.
std::optional<Suspect> share_benchmark(const ProbeContext& context);

/// A benchmark of another family in the class of the suspect, known to the baseline and not measured by this
/// check: its metric and its value then. nullopt where there is none.
std::optional<Suspect> find_other_library(const ProbeContext& context, const Suspect& slow);

}  // namespace gpugauge::conductor
