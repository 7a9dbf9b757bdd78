// Nodes against each other on plain numbers: which of them is not like the others?
//
// Scale: natural logarithms, + is worse (scale.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gpugauge::judge {

/// Parameters of the comparison of nodes.
struct PeerRules {
  double false_discovery = .05;  ///< of the nodes and metrics that are measured again, so many are healthy
  double retest_level = .01;     ///< of the test of the fresh round
  /// Chance that any healthy node of the fleet stands out with all its metrics; 1 asks for none of that.
  double node_level = .01;
  int minimum_nodes = 8;  ///< fewer have no spread worth the name
  int fewest_values = 7;  ///< that a metric of so many nodes needs: one of eight may lack it
  int few_nodes = 16;     ///< below this a drop of warning_multiple tolerances is said, whatever the test
  double warning_multiple = 5.0 / 3.0;  ///< in tolerances; see few_nodes
  /// Such a drop is said only beyond so many standard errors of a node's value against the centre, too.
  double warning_errors = 5;
};

/// A value that a later run of a node gave: it is tested, and is no part of the scale.
struct PeerFurther {
  std::size_t node = 0;  ///< index into PeerMetric::values; not NaN there
  std::size_t run = 0;   ///< number of the node's run, > 0, ascending
  double value = 0;      ///< on the scale
  double centre = 0;     ///< what it is held against, on the scale
  int nodes = 0;         ///< that tell it: its error is that of the median of so many
};

/// One metric over the nodes of one kind.
struct PeerMetric {
  double tolerance = 0;                ///< step on the scale, > 0
  std::vector<double> values;          ///< the first of each node, on the scale; NaN = not measured there
  int group = 0;                       ///< spreads are moderated among the metrics of one group
  std::vector<PeerFurther> further{};  ///< sorted by node, then run
  /// What a node's value spreads by because chance decides which processes it is the median of, as its runs
  /// show it: the median over them; 0 = not known.
  double by_chance = 0;
};

/// What the nodes have in common.
struct PeerScale {
  int nodes = 0;      ///< that measured it
  double centre = 0;  ///< median over nodes
  /// Standard deviation between nodes: by Qn, moderated over the metrics of its group, or, where processes
  /// have two modes and Qn of the nodes sees the usual one, PeerMetric::by_chance.
  double spread = 0;
  double degrees = 0;      ///< of freedom
  bool two_modes = false;  ///< spread is by_chance
  bool usable = false;     ///< minimum_nodes are compared, and fewest_values of them measured it
};

/// A node and a metric that one run puts in doubt.
struct PeerSuspect {
  std::size_t metric = 0;   ///< index into the metrics that were screened
  std::size_t node = 0;     ///< index into PeerMetric::values
  std::size_t run = 0;      ///< 0: the first value; else PeerFurther::run
  double change = 0;        ///< node's value - centre
  double p = 1;             ///< one-sided
  bool rejected = false;    ///< by the test; false: only beyond the warning among few nodes
  bool stands_out = false;  ///< so does its node, with all its metrics, among all nodes
};

/// What the runs of the nodes of one kind show.
struct PeerScreen {
  std::vector<PeerScale> scales;      ///< one a metric, in its order
  std::vector<PeerSuspect> suspects;  ///< sorted by metric, then node, then run
};

/// Each run of each node. x = value - median over nodes, against t with the spread between nodes; a suspect
/// is rejected at the false discovery rate over all nodes, metrics and runs and worse by more than the
/// tolerance. The error of the median, pi/(2N), is part of the variance. A node stands out by Simes' test of
/// all its metrics in all its runs together, Holm's correction over the nodes: what lasts over R runs costs
/// no more than in one, since it is there R times among R times as many. All metrics must have as many
/// values.
PeerScreen screen_peers(std::span<const PeerMetric> metrics, const PeerRules& rules);

/// Centre and spread of each metric over the first values.
std::vector<PeerScale> peer_scales(std::span<const PeerMetric> metrics, const PeerRules& rules);

/// One node that is no part of the scales, against them: the false discovery rate is over its own metrics and
/// runs. Of each run one value a scale, NaN = not measured; PeerSuspect::node is 0, its run the index into
/// `runs`. Sorted by metric, then run.
std::vector<PeerSuspect> screen_newcomer(std::span<const PeerScale> scales,
                                         std::span<const double> tolerances,
                                         std::span<const std::vector<double>> runs, const PeerRules& rules);

/// Smallest change by which a node may be a suspect, on the scale: beyond the tolerance, and either rejected
/// by a test of its own at the false discovery rate or beyond the warning among few nodes.
double doubtful_change(const PeerScale& scale, double tolerance, const PeerRules& rules);

/// Smallest change of one metric that screen_newcomer rejects with 90% power when no other stands out, as a
/// step on the scale: the tolerance, or what noise makes of it among so many `tests`.
double detectable_change(const PeerScale& scale, double tolerance, std::size_t tests, const PeerRules& rules);

/// What two runs say of a suspect.
enum class PeerDecision {
  cleared,    ///< the fresh round does not repeat it, or one such among all nodes and metrics may be chance
  warned,     ///< worse by the warning in both rounds, beyond noise, among too few nodes to test
  confirmed,  ///< node stands out, mean beyond the tolerance, fresh round beyond half of it, and beyond noise
};

/// A suspect's fresh run: `again` is its value minus the centre of that round, which `nodes` tell.
PeerDecision retest(const PeerSuspect& suspect, const PeerScale& scale, double tolerance, double again,
                    int nodes, const PeerRules& rules);
/// The same against the centre of the scale itself.
PeerDecision retest(const PeerSuspect& suspect, const PeerScale& scale, double tolerance, double again,
                    const PeerRules& rules);

}  // namespace gpugauge::judge
