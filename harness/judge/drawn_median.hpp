// What chance makes of a median of few values: of which of two modes do most of them happen to be?
#pragma once

#include <cstddef>
#include <vector>

namespace gpugauge::judge {

/// The exact variance of the median of so many values (an even count as one less) that are drawn from these,
/// each time from all of them. Throws std::invalid_argument for no values or a count of 0.
double drawn_median_variance(std::vector<double> values, std::size_t count);

/// Where chance alone makes medians spread so many times wider than they were seen to, values have two modes,
/// and those that were seen happened to be of one.
inline constexpr double two_modes_ratio = 2;

}  // namespace gpugauge::judge
