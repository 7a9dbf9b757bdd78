// From runs to the gate's plain numbers: what a baseline holds of each metric, and the same of a check.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "judge/class_mean.hpp"
#include "judge/collect.hpp"
#include "judge/gate.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// The metrics of a baseline in the order of their keys, and their series beside them.
struct Pinned {
  std::vector<std::string> keys;           ///< result::metric_key, ascending
  std::vector<const MetricValues*> forms;  ///< of the newest round that has the metric
  std::vector<double> tolerances;          ///< relative
  std::vector<Series> series;              ///< the baseline's rounds on the gate's scale
};

/// collect() of each run, in their order.
std::vector<Collected> collect_all(const std::vector<result::Run>& runs);

/// `rounds` must outlive the result. A round in which a metric has another unit, direction or class than in
/// the newest is left out for that metric.
/// `other_node`: the rounds are another node's, so that healthy nodes of one model may differ.
Pinned pin(const std::vector<Collected>& rounds, const Policy& policy, bool other_node = false);

/// Spreads are moderated among the series of one group: tail quantiles and extremes apart from medians and
/// means.
int spread_group(const result::Metric& form);
/// The same of the metric's key or name, and its statistic ("" = not known).
int spread_group(std::string_view metric, std::string_view statistic);
/// Tail quantiles spread several times as wide as medians and means of the same data: what the metrics have
/// in common must not be estimated over both.
inline constexpr int tail_group = class_mean_group + 1;
/// Operations per clock, which repeat ten times as well as rates do at a power limit.
inline constexpr int per_clock_group = tail_group + 1;

/// The tolerance that applies to a metric, relative: the policy's or its class's, but never less than two
/// steps of its clock. `resolution` is such a step, relative to the metric's value.
double tolerance_with_clock(const Policy& policy, const result::Metric& form, const std::string& key,
                            double resolution);

/// values[metric][round] of a check, on the gate's scale; empty where a round does not hold the metric, or
/// holds another quantity under its name.
std::vector<std::vector<RoundValues>> values_of(const Pinned& pinned, const std::vector<Collected>& rounds);

/// The mean of a class as a metric of its own: "class/hbm". Its value is an index: 1 = as in the baseline,
/// 1.015 = everything takes 1.5% longer, or yields 1.5% less.
struct PinnedClass {
  std::string metric_class;  ///< one of result::classes
  double tolerance = 0;      ///< relative
  ClassMean mean;            ///< with members; classes without are left out
};
/// "class/hbm", which stands where result::metric_key does for a metric.
std::string class_key(const std::string& metric_class);

/// The class means over the metrics that `now` holds in its first round (none: over all) and that no rule of
/// the policy makes advisory, in the order of their classes.
std::vector<PinnedClass> pin_classes(const Pinned& pinned, const Calibration& calibration,
                                     const std::vector<std::vector<RoundValues>>& now, const Policy& policy);

}  // namespace gpugauge::judge
