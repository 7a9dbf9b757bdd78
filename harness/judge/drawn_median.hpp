// How much the median of a few values varies by chance, when the values come from two modes.
#pragma once

#include <cstddef>
#include <vector>

namespace gpugauge::judge {

/// Returns the exact variance of the median of `count` draws with replacement from `values` (an even count is
/// taken as one less). Throws std::invalid_argument for no values or a count of 0.
double drawn_median_variance(std::vector<double> values, std::size_t count);

/// If chance alone spreads medians this many times wider than observed, the values have two modes and the
/// observed medians happened to lie in one.
inline constexpr double two_modes_ratio = 2;

}  // namespace gpugauge::judge
