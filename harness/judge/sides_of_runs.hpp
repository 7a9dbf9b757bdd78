// Converts runs of two sides to the plain numbers of sides.hpp: metrics first, then class means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/absence.hpp"
#include "judge/collect.hpp"
#include "judge/judge.hpp"
#include "judge/sides.hpp"

namespace gpugauge::judge {

/// A run and its collect().
struct Seen {
  const result::Run* run = nullptr;  ///< not owned
  Collected collected;               ///< the run's metrics over its processes
};
/// collect() of each run, in their order. `runs` must outlive the result.
std::vector<Seen> see(const std::vector<result::Run>& runs);

/// A metric that both sides hold with the same unit and direction.
struct MetricOfSides {
  std::string key;                     ///< result::metric_key
  const MetricValues* form = nullptr;  ///< from the newest run of the old side; points into `before`
  double tolerance = 0;                ///< relative; at least the steps of the clock
  bool everywhere = false;             ///< every run of both sides holds it
  SidesSeries series;                  ///< units are boots
};
/// A metric that only one side holds, or with another unit or direction on the other side.
struct MetricOfOneSide {
  std::string key;                     ///< result::metric_key
  const MetricValues* form = nullptr;  ///< points into that side
  bool before = false;                 ///< the side that holds it
};
/// The metrics of two sides, each list sorted by key.
struct SidesOfRuns {
  std::vector<MetricOfSides> both;   ///< comparable metrics
  std::vector<MetricOfOneSide> one;  ///< metrics that cannot be compared
};
/// Matches the metrics of two sides. `assumed_round_spread` is used if the data do not show how rounds
/// differ: three times that for tail quantiles, at most per_clock_between_boots for operations per clock.
SidesOfRuns sides_of_runs(const std::vector<Seen>& before, const std::vector<Seen>& after,
                          const Policy& policy, double assumed_round_spread);

/// Reports a metric that the new side measured in a smaller share of runs or processes than the old side did;
/// nullopt if it did not. Processes are compared with the old run that lacks most. Ignores runs narrowed to
/// other benchmarks, and runs in which something else held the GPU if a later run has the metric. Missing (or
/// failed) if more than half of the new runs lack it in all or most of their processes, else inconclusive.
std::optional<Absence> gaps_after(const std::string& key, const std::string& benchmark,
                                  const std::vector<Seen>& before, const std::vector<Seen>& after);
/// Explains why no new run holds a metric of the old side: the gravest absence over its runs.
Absence absence_after(const std::string& key, const std::string& benchmark, const std::vector<Seen>& after);

/// The geometric mean of a class as a metric of its own; 1 = as before.
struct ClassOfSides {
  std::string metric_class;          ///< one of result::classes
  std::vector<std::size_t> members;  ///< indices into SidesOfRuns::both, ascending; three or more
  double tolerance = 0;              ///< relative
  SidesSeries series;                ///< the series of the means; units are boots
  result::Direction better = result::Direction::lower;  ///< as PinnedClass::better()
};
/// Returns class means over metrics that every run holds, with a minimum detectable change of at most twice
/// their tolerance, and that no rule makes advisory. Leaves out operations per clock. `results` are those of
/// `metrics`, in their order.
std::vector<ClassOfSides> classes_of_sides(const std::vector<MetricOfSides>& metrics,
                                           const std::vector<SidesResult>& results, const Policy& policy);

}  // namespace gpugauge::judge
