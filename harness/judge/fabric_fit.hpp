// Nodes that were measured together, on plain numbers: what of a set's slowness is a node's own?
//
// One number of a set tells that somebody in it is slow, and not who. So each set's excess over what is usual
// is taken apart as common + node + node + ... + rest, by medians that are taken off again and again (Tukey,
// Exploratory Data Analysis, 1977: median polish, a descent of the sum of absolute deviations).
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
  double tolerance = .10;  ///< relative; what is within it is fast. A choice: paths of a fabric differ
  /// Sets with nodes that are fast elsewhere and that no two of them share, as many as it takes to tell a
  /// slow node from a slow path.
  std::size_t partners = 2;
};

/// Nodes that were measured together, once or several times.
struct MeasuredSet {
  std::vector<std::size_t> nodes;  ///< each once, two or more
  std::size_t level = 0;           ///< sets of one level are comparable: as many nodes, as many ranks
  /// The best of its measurements: what slows a set now and then is not what is sought. Infinity: none of
  /// them came to an end.
  double value = 0;
};

/// What sets of one size have in common.
struct FabricLevel {
  std::size_t sets = 0;  ///< of this size
  bool judged =
      false;  ///< two sets or more, or one that is held against an expected value; some value at all
  double reference = 0;        ///< upper quartile of the sets; the best one where the quartile itself is slow
  bool quartile_slow = false;  ///< the reference is the best set for that reason
};

/// What the sets tell of a node.
struct FittedNode {
  std::vector<std::size_t> sets;     ///< the judged ones that it was part of
  std::vector<std::size_t> telling;  ///< those of them whose other nodes were all fast with somebody
  /// The smallest excess of its sets: no node is slower than the fastest set that it was part of.
  double fastest = std::numeric_limits<double>::infinity();
  /// How many of `telling` have no other node in common: a path to one partner would be slow in each set with
  /// it. A lower bound where sets are larger than pairs.
  std::size_t partners = 0;
  bool cleared = false;    ///< fast with somebody
  bool told = false;       ///< cleared, or slow with enough partners
  bool separable = false;  ///< as many partners as it takes: slowness is its own, and not a path's
  double slowness = 0;  ///< its part, 0 to `fastest`; 0 where it is not separable; infinity: it always fails
};

/// What is usual, and each node's part.
struct FabricFit {
  std::vector<FabricLevel> levels;  ///< by MeasuredSet::level
  std::vector<FittedNode> nodes;    ///< by the numbers that sets name them by
  std::vector<double> excess;       ///< of each set over its level's reference; NaN where that is not judged
  std::vector<double> unexplained;  ///< excess less its nodes' slowness; NaN where a node of it is not told
};

/// `tolerance` and `expected` on the scale; expected: what every set should reach, instead of the references.
/// A node that was fast with somebody is cleared. The polish goes over the cleared nodes and the sets of
/// cleared nodes alone; a node that is not cleared gets the median of what its telling sets leave over. Of
/// two middle values the smaller is taken, so that of all fits the one with the least slowness is found.
/// Throws std::invalid_argument for a set with a node or level out of range, or fewer than two nodes.
FabricFit fit_fabric(std::span<const MeasuredSet> sets, std::size_t nodes, double tolerance,
                     std::optional<double> expected, const FabricRules& rules);

}  // namespace gpugauge::judge
