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
  /// A host's benchmark of one thread pins it to the last processor that it may use: with more processors it
  /// may stay on the very one that is slow.
  bool pins_its_thread() const;
};

/// The slowest metric of these classes (all, where none is named) that a family here can repeat: regressed
/// against the baseline, or below its physical limit. Advisory ones do not count. `where` it is repeated
/// leaves some out: on idle processors, those that use all, which fewer slow by themselves; on all of them,
/// the mean share of all, which the busy one lowers as before.
std::optional<Suspect> find_suspect(const ProbeContext& context, const std::vector<std::string_view>& classes,
                                    diagnose::Processors where = diagnose::Processors::as_they_are);

/// The share of their processors that threads get which only compute; nullopt where it is not installed.
std::optional<Suspect> share_benchmark(const ProbeContext& context);

/// A benchmark of another family in the class of the suspect, known to the baseline and not measured by this
/// check: its metric and its value then. nullopt where there is none.
std::optional<Suspect> find_other_library(const ProbeContext& context, const Suspect& slow);

}  // namespace gpugauge::conductor
