// Two modes in the values of several processes: a fault that strikes some processes and spares others.
#pragma once

#include <optional>
#include <span>

namespace gpugauge::judge {

/// Values fall into two groups with an empty space between them.
struct Modes {
  double lower = 0;        ///< median of the lower group
  double upper = 0;        ///< median of the upper group
  double lower_share = 0;  ///< share of the values in the lower group, 0 < share < 1
  double gap = 0;          ///< smallest of the upper minus largest of the lower group
};

/// Splits the values at the largest gap that leaves two values or more, and a tenth or more, on each side.
/// Two modes they are when that gap is wider than `least_gap` (what the processes of a healthy machine
/// spread) and wider than either group's own interquartile range: a single wide group has its largest gaps at
/// its ends, where fewer than a tenth of the values lie. nullopt otherwise, and below 4 values. Dip tests
/// (Hartigan 1985) ask for dozens of values; a round has five.
std::optional<Modes> two_modes(std::span<const double> values, double least_gap);

}  // namespace gpugauge::judge
