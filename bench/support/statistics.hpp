// How the batches of one process become one value.
#pragma once

#include <cstddef>
#include <vector>

#include "result/samples.hpp"
#include "support/definition.hpp"

namespace gpugauge::bench {

/// Middle value, or the mean of the two middle ones. Throws std::invalid_argument when there are none.
double median(std::vector<double> values);

/// Nearest-rank quantile: the smallest value such that at least the share `quantile` of all values does not
/// exceed it. 0 < quantile <= 1. Throws std::invalid_argument when there are no values or the quantile is out
/// of range.
double nearest_rank(std::vector<double> values, double quantile);

/// Fewest values from which a p99 and a p90 are judged. With fewer, the nearest rank is the largest value.
inline constexpr std::size_t fewest_for_p99 = 100;
inline constexpr std::size_t fewest_for_p90 = 10;
/// Fewest values from which anything is judged. With fewer, one disturbed value moves the median too.
inline constexpr std::size_t fewest_to_judge = 5;
/// Fewest values from which `statistic` is judged.
constexpr std::size_t fewest_for(Statistic statistic) {
  if (statistic == Statistic::p99) return fewest_for_p99;
  return statistic == Statistic::p90 ? fewest_for_p90 : fewest_to_judge;
}

/// Seconds per operation by the given statistic. The mean is the window's wall time over all operations in
/// it.
double seconds_per_operation(const result::Batches& batches, Statistic statistic);

/// `value` rounded to 7 significant digits: no clock resolves more.
double rounded(double value);

}  // namespace gpugauge::bench
