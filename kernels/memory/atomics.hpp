// Integer additions to device memory by every thread: all to one word, or each thread to its own words.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::memory {

inline constexpr int atomics_threads = 256;

/// Every thread of `blocks` blocks does `rounds` additions without a return value (red.add). Addition r of
/// thread t, counted over the grid, adds 1 to word (t + r * threads of the grid) modulo `words`. With words =
/// 1 all go to one word. Exact: atomics_expected() gives each word's growth. cudaErrorInvalidValue unless all
/// arguments are >= 1. Work: atomics_additions().
cudaError_t add_atomically(std::uint32_t* counters, std::uint32_t words, int blocks, int rounds,
                           cudaStream_t stream);

constexpr std::uint64_t atomics_additions(int blocks, int rounds) {
  return std::uint64_t{atomics_threads} * static_cast<std::uint64_t>(blocks) *
         static_cast<std::uint64_t>(rounds);
}

/// How much one launch adds to word `word` < words, modulo 2^32.
constexpr std::uint32_t atomics_expected(std::uint32_t word, std::uint32_t words, int blocks, int rounds) {
  const std::uint64_t additions = atomics_additions(blocks, rounds);
  return static_cast<std::uint32_t>(additions / words + (word < additions % words ? 1 : 0));
}

}  // namespace gpugauge::kernels::memory
