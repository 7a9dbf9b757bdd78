// The course of a long measurement: how its first second compares with its last, its spread, whether it has
// two modes. Plain C++, from the batches alone.
#pragma once

#include <vector>

namespace gpugauge::bench::sustained {

/// One batch.
struct Point {
  double end_seconds = 0;  ///< since the start of the measurement, ascending
  double seconds = 0;      ///< per operation, > 0
  double sm_clock_hz = 0;  ///< 0 = unknown
};

/// Two groups of values, where there are two.
struct Modes {
  bool two = false;
  double separation = 0;   ///< distance of the groups' means / median of all
  double minor_share = 0;  ///< share of the values in the smaller group
};

struct Course {
  double first_second = 0;    ///< operations per second over the first second
  double last_second = 0;     ///< over the last one
  double slowest_second = 0;  ///< of all whole seconds
  double spread = 0;          ///< (95th - 5th percentile) / median of the batches' seconds per operation
  Modes modes;
  std::vector<double> per_second;        ///< operations per second of each whole second
  std::vector<double> clock_per_second;  ///< mean SM clock of each, in hertz; 0 where unknown
};

/// Rates are the batches' own (operations over GPU time), so that gaps in between do not count. Needs points
/// over two seconds at least: throws std::invalid_argument.
Course course_of(const std::vector<Point>& points);

/// The split of the sorted values that leaves the least variance within two groups (Otsu, 1979). Two modes:
/// the split explains at least 85% of the variance (a normal distribution's explains 64%, a uniform one's
/// 75%), the groups are at least 1% of the median apart, and the smaller one holds at least 5%.
Modes modes_of(std::vector<double> values);

}  // namespace gpugauge::bench::sustained
