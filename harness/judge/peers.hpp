// Compares nodes with each other on plain numbers, to find the one that differs.
//
// Scale: natural logarithms, + is worse (scale.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gpugauge::judge {

/// Parameters of the comparison of nodes.
struct PeerRules {
  double false_discovery = .05;  ///< share of the retested nodes and metrics that may be healthy
  double retest_level = .01;     ///< level of the test of the fresh round
  /// Chance that any healthy node stands out over all its metrics; 1 disables this condition.
  double node_level = .01;
  int minimum_nodes = 8;  ///< fewer nodes give no usable spread
  int fewest_values = 7;  ///< nodes that must have the metric: one of eight may lack it
  /// below this number of nodes, a drop of warning_multiple tolerances is reported without the test
  int few_nodes = 16;
  double warning_multiple = 5.0 / 3.0;  ///< in tolerances; see few_nodes
  /// Such a drop must also exceed this many standard errors of a node's value against the centre.
  double warning_errors = 5;
};

/// A value from a node's later run. It is tested, but not part of the scale.
struct PeerFurther {
  std::size_t node = 0;  ///< index into PeerMetric::values; that value is not NaN
  std::size_t run = 0;   ///< number of the node's run, > 0, ascending
  double value = 0;      ///< on the scale
  double centre = 0;     ///< what it is compared with, on the scale
  int nodes = 0;         ///< nodes behind `centre`, whose error is that of their median
};

/// One metric over the nodes of one kind.
struct PeerMetric {
  double tolerance = 0;                ///< step on the scale, > 0
  std::vector<double> values;          ///< each node's first value, on the scale; NaN = not measured there
  int group = 0;                       ///< spreads are moderated within a group of metrics
  std::vector<PeerFurther> further{};  ///< sorted by node, then run
  /// Spread of a node's value because chance decides which mode its processes hit, estimated from its runs:
  /// the median over nodes; 0 = not known.
  double by_chance = 0;
};

/// Centre and spread of a metric over the nodes.
struct PeerScale {
  int nodes = 0;      ///< nodes that measured it
  double centre = 0;  ///< median over nodes
  /// Standard deviation between nodes: Qn, moderated within the metric's group. PeerMetric::by_chance
  /// instead, if processes have two modes and the nodes' Qn only sees the usual one.
  double spread = 0;
  double degrees = 0;      ///< degrees of freedom of spread
  bool two_modes = false;  ///< spread is by_chance
  bool usable = false;     ///< minimum_nodes are compared, and fewest_values of them measured it
};

/// A node and a metric in doubt because of one run.
struct PeerSuspect {
  std::size_t metric = 0;   ///< index into the metrics that were screened
  std::size_t node = 0;     ///< index into PeerMetric::values
  std::size_t run = 0;      ///< 0: the first value; else PeerFurther::run
  double change = 0;        ///< the node's value minus the centre
  double p = 1;             ///< one-sided
  bool rejected = false;    ///< by the test; false: only beyond the warning for few nodes
  bool stands_out = false;  ///< its node stands out among all nodes, over all its metrics
};

/// The screening result for the nodes of one kind.
struct PeerScreen {
  std::vector<PeerScale> scales;      ///< one per metric, in its order
  std::vector<PeerSuspect> suspects;  ///< sorted by metric, then node, then run
};

/// Screens each run of each node. x = value - median over nodes is tested against t with the spread between
/// nodes. A suspect is rejected at the false discovery rate over all nodes, metrics and runs, and worse by
/// more than the tolerance. The variance includes the error of the median, pi/(2N). A node stands out by
/// Simes' test over all its metrics and runs together, with Holm's correction over the nodes. A lasting drop
/// is as easy to find in R runs as in one, since it occurs R times among R times as many tests. All metrics
/// must have the same number of values.
PeerScreen screen_peers(std::span<const PeerMetric> metrics, const PeerRules& rules);

/// Returns centre and spread of each metric over the first values.
std::vector<PeerScale> peer_scales(std::span<const PeerMetric> metrics, const PeerRules& rules);

/// Screens one node that is not part of the scales; the false discovery rate covers its own metrics and runs.
/// Each run has one value per scale, NaN = not measured. PeerSuspect::node is 0, its run an index into
/// `runs`. Sorted by metric, then run.
std::vector<PeerSuspect> screen_newcomer(std::span<const PeerScale> scales,
                                         std::span<const double> tolerances,
                                         std::span<const std::vector<double>> runs, const PeerRules& rules);

/// Returns the smallest change on the scale that can make a node a suspect. It is beyond the tolerance, and
/// either rejected by a single test at the false discovery rate or beyond the warning for few nodes.
double doubtful_change(const PeerScale& scale, double tolerance, const PeerRules& rules);

/// Returns the smallest change of one metric that screen_newcomer rejects with 90% power if no other metric
/// stands out. A step on the scale: the tolerance, or more where noise over this many `tests` requires it.
double detectable_change(const PeerScale& scale, double tolerance, std::size_t tests, const PeerRules& rules);

/// The decision on a suspect after two runs.
enum class PeerDecision {
  cleared,    ///< the fresh round does not repeat it, or it may be chance among all nodes and metrics
  warned,     ///< beyond the warning in both rounds and beyond noise, with too few nodes to test
  confirmed,  ///< node stands out, mean beyond the tolerance, fresh round beyond half of it and beyond noise
};

/// Decides on a suspect's fresh run. `again` is its value minus the centre of that round, which `nodes` nodes
/// determine.
PeerDecision retest(const PeerSuspect& suspect, const PeerScale& scale, double tolerance, double again,
                    int nodes, const PeerRules& rules);
/// The same against the centre of the scale itself.
PeerDecision retest(const PeerSuspect& suspect, const PeerScale& scale, double tolerance, double again,
                    const PeerRules& rules);

}  // namespace gpugauge::judge
