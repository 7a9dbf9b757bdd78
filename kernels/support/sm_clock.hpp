// The SM clock over an interval: stamps of (%globaltimer, %clock64) on every SM at its two ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels {

/// One SM's two clocks at one moment.
struct ClockStamp {
  std::uint64_t nanoseconds = 0;
  std::uint64_t cycles = 0;
  std::uint64_t generation = 0;  ///< the interval that it belongs to; 0 = never written
};

/// Slots of a stamp array: above the SM numbers of any GPU so far (they may have holes).
inline constexpr std::size_t stamp_slots = 512;

/// Every SM that gets one of the blocks writes stamps[its number]. Two such launches on one stream with one
/// `generation` (>= 1, different for every interval) frame an interval.
cudaError_t launch_clock_stamp(ClockStamp* stamps, std::uint64_t generation, cudaStream_t stream);

/// Median over SMs of cycles per second between two arrays of stamps; SMs without both stamps of `generation`
/// are left out. 0 when there is none left.
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

/// Keeps one SM busy for `nanoseconds` of %globaltimer: a kernel of known duration.
cudaError_t launch_spin(std::uint64_t nanoseconds, cudaStream_t stream);

}  // namespace gpugauge::kernels
