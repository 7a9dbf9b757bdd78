// How much GPU memory the memory screen covers. Pure.
#pragma once

#include <algorithm>
#include <cstddef>

#include "support/gpu_room.hpp"

namespace gpugauge::bench::integrity {

/// The smallest amount worth a screen, in bytes: 1 GiB.
inline constexpr std::size_t least_screened_bytes = std::size_t{1} << 30;
/// Bytes that stay free for the runtime: 256 MiB.
inline constexpr std::size_t bytes_for_runtime = std::size_t{256} << 20;
/// Largest amount that the short screen covers, in bytes. Writing and reading more takes longer than its
/// window.
inline constexpr std::size_t most_of_short_screen = 16 * least_screened_bytes;

/// Bytes to cover, a whole number of MiB; 0 where less than least_screened_bytes is available. A tenth of the
/// memory stays free for others. On memory shared with the host it takes at most half of what is free, and at
/// most 16 GiB, because the machine needs the rest. `all`: the long screen; otherwise the short one.
inline std::size_t screened_bytes(const GpuMemory& gpu, bool all) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const std::size_t reserve = gpu.total / 10 + bytes_for_runtime;
  std::size_t bytes = gpu.free > reserve ? gpu.free - reserve : 0;
  if (gpu.shared_with_host) bytes = std::min(bytes, gpu.free / 2);
  if (gpu.shared_with_host || !all) bytes = std::min(bytes, most_of_short_screen);
  return bytes < least_screened_bytes ? 0 : bytes / mebibyte * mebibyte;
}

}  // namespace gpugauge::bench::integrity
