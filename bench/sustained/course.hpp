// The course of a long measurement: its first second compared with its last, its spread, and whether it has
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

/// Two groups of values, if they exist.
struct Modes {
  bool two = false;
  double separation = 0;   ///< distance of the groups' means / median of all
  double minor_share = 0;  ///< share of the values in the smaller group
};

struct Course {
  double first_second = 0;    ///< operations per second over the first second
  double last_second = 0;     ///< operations per second over the last second
  double slowest_second = 0;  ///< slowest of all whole seconds
  double spread = 0;          ///< (95th - 5th percentile) / median of the batches' seconds per operation
  Modes modes;
  std::vector<double> per_second;        ///< operations per second of each whole second
  std::vector<double> clock_per_second;  ///< mean SM clock per second, in hertz; 0 where unknown
};

/// Rates are operations over GPU time of the batches, so gaps between batches do not count. Needs points over
/// at least two seconds: throws std::invalid_argument otherwise.
Course course_of(const std::vector<Point>& points);

/// Splits the sorted values into two groups with the least variance within (Otsu, 1979). There are two modes
/// when three things hold. The split explains at least 85% of the variance (64% for a normal distribution,
/// 75% for a uniform one). The groups are at least 1% of the median apart. The smaller one holds at least 5%.
Modes modes_of(std::vector<double> values);

}  // namespace gpugauge::bench::sustained
