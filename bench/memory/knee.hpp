// Plateaus and knees of a curve over footprints. Plain C++.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "support/statistics.hpp"

namespace gpugauge::bench::memory {

/// One point of a sweep; a sweep is sorted by bytes.
struct Point {
  double bytes = 0;  ///< footprint, > 0
  double value = 0;  ///< bandwidth or latency
};

/// Median of the values at footprints from `low` to `high` bytes, both included; nullopt when there is none.
inline std::optional<double> level(const std::vector<Point>& sweep, double low, double high) {
  std::vector<double> values;
  for (const Point& point : sweep)
    if (point.bytes >= low && point.bytes <= high) values.push_back(point.value);
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

/// Footprint in bytes that L1 surely holds. 7.5 has an L1 of 32 or 64 KiB, because the driver divides 96 KiB
/// between it and shared memory (CUDA C++ programming guide, compute capability 7.x). From 8.0 on there are
/// at least 128 KiB to divide. `compute_capability`: 75 for 7.5.
constexpr double l1_plateau_bytes(int compute_capability) {
  constexpr double kibibyte = 1024;
  return (compute_capability < 80 ? 32 : 64) * kibibyte;
}

/// Footprint at which the curve crosses `threshold` between two neighbouring points. It interpolates linearly
/// over the logarithm of the footprint.
inline double crossing(const Point& before, const Point& after, double threshold) {
  const double share = (threshold - before.value) / (after.value - before.value);
  return before.bytes * std::pow(after.bytes / before.bytes, share);
}

/// Footprint from which the curve stays below `threshold`: the last place where a point at or above it is
/// followed by one below. A single disturbed point before it does not count. nullopt when the last point is
/// at or above the threshold, or no point is.
inline std::optional<double> falls_below(const std::vector<Point>& sweep, double threshold) {
  if (sweep.empty() || sweep.back().value >= threshold) return std::nullopt;
  for (std::size_t i = sweep.size() - 1; i > 0; --i)
    if (sweep[i - 1].value >= threshold) return crossing(sweep[i - 1], sweep[i], threshold);
  return std::nullopt;
}

/// Footprint from which the curve stays above `threshold`; the mirror image of falls_below.
inline std::optional<double> rises_above(std::vector<Point> sweep, double threshold) {
  for (Point& point : sweep) point.value = -point.value;
  return falls_below(sweep, -threshold);
}

}  // namespace gpugauge::bench::memory
