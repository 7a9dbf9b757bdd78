// How many pages the address-translation sweep has, and which of them are judged. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "support/gpu_room.hpp"

namespace gpugauge::bench::memory {

/// The page size of large device allocations, in bytes.
inline constexpr std::size_t page_bytes = std::size_t{2} << 20;
/// Stride in bytes: one line per page, offset by one more line per page, so that the lines spread over L2.
inline constexpr std::size_t page_stride = page_bytes + 128;
/// Pages of the first footprint.
inline constexpr std::uint32_t fewest_pages = 16;
/// Pages of the last footprint, where the memory is large enough: 64 GiB.
inline constexpr std::uint32_t most_pages = 1U << 15;
/// Page counts whose latency is judged where the GPU has room for them: 1, 4 and 16 GiB.
inline constexpr std::array<std::uint32_t, 3> judged_pages{512, 2048, 8192};

/// The largest of judged_pages that this GPU measures in every run, 0 = none. It depends on the GPU's size,
/// so that other users do not decide which metrics exist. On memory shared with the host it is the smallest
/// of them, because what the host leaves free differs between runs.
inline std::uint32_t most_judged(const GpuMemory& gpu) {
  if (gpu.shared_with_host) return judged_pages.front();
  std::uint32_t most = 0;
  for (const std::uint32_t pages : judged_pages)
    if (has_room(gpu, pages * page_stride)) most = pages;
  return most;
}

/// Pages of the largest footprint: fewest_pages times a power of two, doubled while a tenth of the memory
/// stays free. On memory shared with the host at most half of what is free is taken.
inline std::uint32_t pages_that_fit(const GpuMemory& gpu) {
  const std::size_t left = gpu.free > gpu.total / 10 ? gpu.free - gpu.total / 10 : 0;
  const std::size_t most = gpu.shared_with_host ? std::min(left, gpu.free / 2) : left;
  std::uint32_t pages = fewest_pages;
  while (pages < most_pages && std::size_t{pages} * 2 * page_stride <= most) pages *= 2;
  return pages;
}

}  // namespace gpugauge::bench::memory
