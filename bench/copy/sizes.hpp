// Sizes of copies, and how many stand in a batch. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpugauge::bench::copy {

/// Sizes of the copies between host and device, and within a device.
inline const std::vector<std::string> sizes{"4KiB", "64KiB", "1MiB", "64MiB", "256MiB", "1GiB"};

/// Largest number of copies per batch: 16 large ones. Copies below 1 MiB need more, so that the batch is long
/// compared with the 0.5 us that events resolve.
constexpr std::int64_t most_copies(std::uint64_t bytes) {
  return bytes >= (std::uint64_t{1} << 20) ? 16 : 128;
}

/// How much of `bytes` bytes, which copies within the device touch again and again, an L2 of `l2_bytes` holds.
constexpr const char* cache_note(std::uint64_t bytes, std::uint64_t l2_bytes) {
  if (bytes <= l2_bytes) return "all of the data stays in L2";
  return bytes < 3 * l2_bytes ? "part of the data stays in L2"
                              : "cold: all buffers together are at least three times L2";
}

}  // namespace gpugauge::bench::copy
