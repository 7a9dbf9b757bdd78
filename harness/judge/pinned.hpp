// Converts runs to the gate's plain numbers, for a baseline and for a check.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "judge/class_mean.hpp"
#include "judge/collect.hpp"
#include "judge/gate.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// The metrics of a baseline by key, with their series.
struct Pinned {
  std::vector<std::string> keys;           ///< result::metric_key, ascending
  std::vector<const MetricValues*> forms;  ///< from the newest round that has the metric
  std::vector<double> tolerances;          ///< relative
  std::vector<Series> series;              ///< the baseline's rounds on the gate's scale
};

/// collect() of each run, in their order.
std::vector<Collected> collect_all(const std::vector<result::Run>& runs);

/// Pins a baseline's rounds; `rounds` must outlive the result. For a metric, leaves out rounds in which its
/// unit, direction or class differs from the newest round. `other_node`: the rounds come from another node,
/// so the spread between healthy nodes applies.
Pinned pin(const std::vector<Collected>& rounds, const Policy& policy, bool other_node = false);

/// The spread group of a metric: spreads are moderated within a group. Tail quantiles and extremes are
/// separate from medians and means.
int spread_group(const result::Metric& form);
/// The same from a metric's key or name and its statistic ("" = not known).
int spread_group(std::string_view metric, std::string_view statistic);
/// Group of tail quantiles, which spread several times wider than medians and means of the same data; a
/// common spread must not be estimated over both.
inline constexpr int tail_group = class_mean_group + 1;
/// Group of operations per clock, which repeat ten times better than rates at a power limit.
inline constexpr int per_clock_group = tail_group + 1;

/// Returns the relative tolerance of a metric: the policy's or its class's, but at least two steps of its
/// clock, and at most .95. `resolution` is one step, relative to the metric's value.
double tolerance_with_clock(const Policy& policy, const result::Metric& form, const std::string& key,
                            double resolution);

/// Returns values[metric][round] of a check on the gate's scale; empty if a round lacks the metric, or holds
/// another quantity under its name.
std::vector<std::vector<RoundValues>> values_of(const Pinned& pinned, const std::vector<Collected>& rounds);

/// A class mean as a metric of its own, "class/hbm". Its value is an index: 1 = as in the baseline; of rates, .985 =
/// 1.5% less of each; of times, and of both together, 1.015 = each takes 1.5% longer.
struct PinnedClass {
  std::string metric_class;                      ///< one of result::classes
  double tolerance = 0;                          ///< relative
  ClassMean mean;                                ///< has members; classes without any are left out
  std::optional<result::Direction> shared = {};  ///< of all its metrics; nullopt where they differ
  /// Of its value.
  result::Direction better() const { return shared.value_or(result::Direction::lower); }
};
/// "class/hbm", used in place of result::metric_key.
std::string class_key(const std::string& metric_class);

/// Returns the class means, by class, over the metrics that the first round of `now` holds (all metrics if
/// `now` is empty) and that no policy rule makes advisory.
std::vector<PinnedClass> pin_classes(const Pinned& pinned, const Calibration& calibration,
                                     const std::vector<std::vector<RoundValues>>& now, const Policy& policy);

}  // namespace gpugauge::judge
