// The course of a long measurement: its first second compared with its last, its spread, and whether it has
// two modes. Plain C++, from the batches alone.
#pragma once

#include <vector>

namespace gpugauge::bench::sustained {

/// One batch.
struct Point {
  double end_seconds = 0;   ///< by wall clock since the start of the measurement, ascending
  double seconds = 0;       ///< per operation, > 0
  double sm_clock_hz = 0;   ///< 0 = unknown
  double busy_seconds = 0;  ///< the GPU's time for the whole batch, > 0: it began so long before its end
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
  double slowest_second = 0;  ///< slowest of all whole seconds in which a batch ended
  double spread = 0;          ///< (95th - 5th percentile) / median of the batches' seconds per operation
  /// Longest wall time from the end of a batch, or the start of the measurement, to the start of the next, in
  /// seconds, beyond the median of them, which enqueueing takes.
  double longest_pause = 0;
  Modes modes;
  std::vector<double> per_second;        ///< operations per second of each whole second; 0: nothing ran in it
  std::vector<double> clock_per_second;  ///< mean SM clock per second, in hertz; 0 where unknown
};

/// Rates are operations over GPU time of the batches that end within the second, so gaps between batches do
/// not count: longest_pause is the one that tells of them. A second in which none ends has the rate and clock
/// of the batch that runs then. Needs points over at least two seconds: throws std::invalid_argument
/// otherwise.
Course course_of(const std::vector<Point>& points);

/// Splits the sorted values into two groups with the least variance within (Otsu, 1979). There are two modes
/// when three things hold. The split explains at least 85% of the variance (64% for a normal distribution,
/// 75% for a uniform one). The groups are at least 1% of the median apart. The smaller one holds at least 5%.
Modes modes_of(std::vector<double> values);

}  // namespace gpugauge::bench::sustained
