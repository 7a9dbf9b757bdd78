// Finds two modes in the values of several processes: a fault that strikes only some processes.
#pragma once

#include <optional>
#include <span>

namespace gpugauge::judge {

/// Two groups of values with a gap between them.
struct Modes {
  double lower = 0;        ///< median of the lower group
  double upper = 0;        ///< median of the upper group
  double lower_share = 0;  ///< share of the values in the lower group, 0 < share < 1
  double gap = 0;          ///< smallest value of the upper group minus largest of the lower
};

/// Splits the values at the largest gap that leaves two or more values, and a tenth or more, on each side.
/// They are two modes if the gap is wider than `least_gap` (the spread between processes of a healthy
/// machine) and than each group's interquartile range. A single wide group has its largest gaps at its ends,
/// where fewer than a tenth of the values lie. nullopt otherwise, and below 4 values. Dip tests (Hartigan
/// 1985) need dozens of values; a round has five.
std::optional<Modes> two_modes(std::span<const double> values, double least_gap);

}  // namespace gpugauge::judge
