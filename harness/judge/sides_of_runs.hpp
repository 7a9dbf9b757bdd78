// From runs of two sides to the plain numbers of sides.hpp: metrics first, then the means of their classes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/absence.hpp"
#include "judge/collect.hpp"
#include "judge/judge.hpp"
#include "judge/sides.hpp"

namespace gpugauge::judge {

/// A run with what collect() makes of it.
struct Seen {
  const result::Run* run = nullptr;  ///< not owned
  Collected collected;               ///< its metrics over its processes
};
/// collect() of each run, in their order. `runs` must outlive the result.
std::vector<Seen> see(const std::vector<result::Run>& runs);

/// A metric that both sides hold with one unit and direction.
struct MetricOfSides {
  std::string key;                     ///< result::metric_key
  const MetricValues* form = nullptr;  ///< of the newest run of the old side; points into `before`
  double tolerance = 0;                ///< relative, the steps of the clock included
  bool everywhere = false;             ///< every run of both sides holds it
  SidesSeries series;                  ///< units are boots
};
/// A metric of one side only, or with another unit or direction on the other.
struct MetricOfOneSide {
  std::string key;                     ///< result::metric_key
  const MetricValues* form = nullptr;  ///< points into that side
  bool before = false;                 ///< the side that holds it
};
/// The metrics of two sides, each list in the order of its keys.
struct SidesOfRuns {
  std::vector<MetricOfSides> both;   ///< can be compared
  std::vector<MetricOfOneSide> one;  ///< cannot
};
/// `assumed_round_spread` stands where nothing tells how rounds differ, three times as large for tail
/// quantiles.
SidesOfRuns sides_of_runs(const std::vector<Seen>& before, const std::vector<Seen>& after,
                          const Policy& policy, double assumed_round_spread);

/// What is to be said of a metric of the old side where a larger share of the new side's runs lacks it than
/// of the old side's, or more processes of one of its runs than of any old one; nullopt where nothing is.
/// Runs that were narrowed to other benchmarks do not count, nor do those that something else kept from
/// measuring it where a later one has it. Missing (or failed) where most runs of the new side lack it, each
/// in all or most of its processes, else inconclusive.
std::optional<Absence> gaps_after(const std::string& key, const std::string& benchmark,
                                  const std::vector<Seen>& before, const std::vector<Seen>& after);
/// Why no run of the new side holds a metric of the old one: the gravest of what its runs tell.
Absence absence_after(const std::string& key, const std::string& benchmark, const std::vector<Seen>& after);

/// The geometric mean of a class as a metric of its own: 1 = as before.
struct ClassOfSides {
  std::string metric_class;          ///< one of result::classes
  std::vector<std::size_t> members;  ///< of SidesOfRuns::both, ascending; three or more
  double tolerance = 0;              ///< relative
  SidesSeries series;                ///< of the means, units are boots
};
/// Class means over metrics that every run holds, that can be seen at twice their tolerance, and that no rule
/// makes advisory. `results` are those of the metrics, in their order.
std::vector<ClassOfSides> classes_of_sides(const std::vector<MetricOfSides>& metrics,
                                           const std::vector<SidesResult>& results, const Policy& policy);

}  // namespace gpugauge::judge
