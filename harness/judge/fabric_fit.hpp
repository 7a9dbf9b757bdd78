// Estimates how much of a set's slowness each of its nodes causes. Works on plain numbers.
//
// A set's value shows that one of its nodes is slow, but not which one. So each set's excess over the
// reference is split into common + node + node + ... + rest by repeatedly subtracting medians (Tukey,
// Exploratory Data Analysis, 1977: median polish, which descends the sum of absolute deviations).
//
// Scale: natural logarithms, + is worse (scale.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace gpugauge::judge {

/// Parameters of the comparison of sets.
struct FabricRules {
  double tolerance = .10;  ///< relative; a set within it is fast. A choice: paths of a fabric differ
  /// Sets needed to tell a slow node from a slow path. Their other nodes are fast elsewhere, and no two sets
  /// share one of those.
  std::size_t partners = 2;
};

/// A set of nodes that were measured together, once or several times.
struct MeasuredSet {
  std::vector<std::size_t> nodes;  ///< each once, two or more
  std::size_t level = 0;           ///< sets of one level are comparable: the same number of nodes and ranks
  /// The best of its measurements, because occasional slowness is not the fault sought. Infinity: none of
  /// them finished.
  double value = 0;
};

/// What the sets of one size have in common.
struct FabricLevel {
  std::size_t sets = 0;        ///< sets of this size
  bool judged = false;         ///< some value exists, and there are two or more sets, or an expected value
  double reference = 0;        ///< upper quartile of the sets; the best set where the quartile itself is slow
  bool quartile_slow = false;  ///< the quartile is slow, so the reference is the best set
};

/// The result for one node.
struct FittedNode {
  std::vector<std::size_t> sets;     ///< the judged sets that it was part of
  std::vector<std::size_t> telling;  ///< of these, the sets whose other nodes were all fast in some set
  /// The smallest excess of its sets, an upper bound of the node's own slowness.
  double fastest = std::numeric_limits<double>::infinity();
  /// The number of `telling` sets that share no other node. A slow path to one partner would slow every set
  /// with that partner. A lower bound where sets are larger than pairs.
  std::size_t partners = 0;
  bool cleared = false;    ///< fast in at least one set
  bool told = false;       ///< cleared, or slow with enough partners
  bool separable = false;  ///< enough partners to attribute slowness to the node and not to a path
  /// its contribution, 0 to `fastest`; 0 where it is not separable; infinity: it always fails
  double slowness = 0;
};

/// The references, and the contribution of each node.
struct FabricFit {
  std::vector<FabricLevel> levels;  ///< by MeasuredSet::level
  std::vector<FittedNode> nodes;    ///< by node number, as in MeasuredSet::nodes
  std::vector<double> excess;       ///< excess of each set over its level's reference; NaN where not judged
  /// excess minus its nodes' slowness; NaN if FittedNode::told is false for one
  std::vector<double> unexplained;
};

/// Fits the sets. `tolerance` and `expected` are on the scale; `expected` is what every set should reach and
/// replaces the references. A node that was fast in some set is cleared. The polish covers only the cleared
/// nodes and the sets of cleared nodes. A node that is not cleared gets the median of what its telling sets
/// leave unexplained. Of two middle values the smaller is taken, which gives the fit with the least slowness.
/// Throws std::invalid_argument for a node or level out of range, or a set of fewer than two nodes.
FabricFit fit_fabric(std::span<const MeasuredSet> sets, std::size_t nodes, double tolerance,
                     std::optional<double> expected, const FabricRules& rules);

}  // namespace gpugauge::judge
