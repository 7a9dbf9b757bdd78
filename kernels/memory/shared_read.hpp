// Reads shared memory at full rate: 16 bytes per lane, no bank conflicts, on every SM.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::memory {

inline constexpr int shared_read_threads = 1024;
inline constexpr int shared_read_unroll = 8;
/// 16-byte vectors that each thread owns in shared memory and reads in turn.
inline constexpr int shared_read_slots = 2;

/// Each of `blocks` blocks fills its shared memory with shared_word(block, word). Then every thread reads its
/// own vectors rounds * shared_read_unroll times. sums[block] = sum modulo 2^32 of all words read. Work:
/// shared_read_bytes(). cudaErrorInvalidValue unless rounds >= 1 and blocks >= 1.
cudaError_t read_shared(int blocks, int rounds, std::uint32_t* sums, cudaStream_t stream);

constexpr double shared_read_bytes(int blocks, int rounds) {
  return 16.0 * shared_read_threads * shared_read_unroll * static_cast<double>(blocks) *
         static_cast<double>(rounds);
}

/// The value of word `word` in block `block`'s shared memory.
GPUGAUGE_HOST_DEVICE constexpr std::uint32_t shared_word(std::uint32_t block, std::uint32_t word) {
  return (block * 2654435761U) ^ (word * 2246822519U + 1);
}

/// The sum that read_shared() must find in a block: every word is read rounds * unroll / slots times.
constexpr std::uint32_t expected_shared_sum(std::uint32_t block, int rounds) {
  std::uint32_t sum = 0;
  for (std::uint32_t word = 0; word < std::uint32_t{shared_read_threads} * shared_read_slots * 4; ++word)
    sum += shared_word(block, word);
  return sum * static_cast<std::uint32_t>(rounds) * (shared_read_unroll / shared_read_slots);
}

}  // namespace gpugauge::kernels::memory
