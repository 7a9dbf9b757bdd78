// The sizes of a sweep of one collective, and how long a process takes for it. Pure.
#pragma once

#include <cstdint>

namespace gpugauge::bench::nccl {

/// A sweep goes in powers of two from the first size to the last, and ends at the first size of which an
/// iteration takes longer than longest_iteration_seconds.
inline constexpr std::uint64_t sweep_first = 8;
inline constexpr std::uint64_t sweep_last = std::uint64_t{8} << 30;
inline constexpr double longest_iteration_seconds = 1;
/// Windows that all its sizes share.
inline constexpr double sweep_windows = 3;

/// Iterations of one size, whatever the window: to warm up and to find the pace.
inline constexpr int warm_up_iterations = 3;
inline constexpr int pace_iterations = 5;
/// Fewest that are timed: not as many where one is long.
constexpr double fewest_iterations(double iteration_seconds) {
  constexpr double is_long = 0.1;
  return iteration_seconds > is_long ? 5 : 20;
}
/// One that is verified, one with NCCL's log of its choices, and one whose kernels are named.
inline constexpr int iterations_after = 3;

/// Seconds that the iterations of a sweep take where `bytes_per_second` (algbw) is reached at every size.
/// The latency of small sizes, filling, poisoning and comparing come on top.
constexpr double sweep_seconds(double bytes_per_second) {
  double seconds = 0;
  for (std::uint64_t bytes = sweep_first; bytes <= sweep_last; bytes *= 2) {
    const double one = static_cast<double>(bytes) / bytes_per_second;
    seconds += one * (warm_up_iterations + pace_iterations + fewest_iterations(one) + iterations_after);
    if (one > longest_iteration_seconds) break;
  }
  return seconds;
}

/// Assumed for the estimate of a profile, not measured: between what PCIe 5.0 x16 (63) and what the NVLinks
/// of an H100 (450) carry in one direction, by their data sheets.
inline constexpr double assumed_bytes_per_second = 100e9;

}  // namespace gpugauge::bench::nccl
