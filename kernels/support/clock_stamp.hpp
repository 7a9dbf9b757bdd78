// Clock stamps: two clocks read at one moment, and the SM clock between two stamps. Plain C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpugauge::kernels {

/// One SM's real-time counter and cycle counter. Where two blocks of the stamp kernel share an SM, each may
/// write one of the two. They are then at most one step of the counter (about 1 us) apart.
struct ClockStamp {
  /// The real-time counter, the same for all SMs.
  std::uint64_t nanoseconds = 0;
  /// The SM's own cycles.
  std::uint64_t cycles = 0;
  std::uint64_t generation = 0;  ///< the interval that it belongs to; 0 = never written
};

/// Slots of a stamp array, indexed by SM number. It exceeds the SM numbers of all GPUs so far, which may have
/// gaps.
inline constexpr std::size_t stamp_slots = 512;

/// Median over SMs of cycles per second between two arrays of stamp_slots stamps. SMs without both stamps of
/// `generation`, or whose clocks did not advance, are left out. 0 when none is left.
inline double sm_clock_hz(const ClockStamp* begin, const ClockStamp* end, std::uint64_t generation) {
  std::vector<double> clocks;
  for (std::size_t sm = 0; sm < stamp_slots; ++sm) {
    if (begin[sm].generation != generation || end[sm].generation != generation) continue;
    if (end[sm].nanoseconds <= begin[sm].nanoseconds || end[sm].cycles <= begin[sm].cycles) continue;
    clocks.push_back(1e9 * static_cast<double>(end[sm].cycles - begin[sm].cycles) /
                     static_cast<double>(end[sm].nanoseconds - begin[sm].nanoseconds));
  }
  if (clocks.empty()) return 0;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

}  // namespace gpugauge::kernels
