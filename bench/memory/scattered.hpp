// How large an array must be for caches to hold little of it. Pure.
#pragma once

#include <algorithm>
#include <cstddef>

namespace gpugauge::bench::memory {

/// Returns 32 times L2, halved until `fits` accepts it, but at least `least`, whether that fits or not. A
/// whole number of MiB where `least` is one.
template <typename Fits>
std::size_t scattered_bytes(std::size_t l2_bytes, std::size_t least, const Fits& fits) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  std::size_t bytes = 32 * l2_bytes / mebibyte * mebibyte;
  while (bytes > least && !fits(bytes)) bytes = bytes / 2 / mebibyte * mebibyte;
  return std::max(bytes, least);
}

}  // namespace gpugauge::bench::memory
