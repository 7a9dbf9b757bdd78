// Reads single 32-byte sectors at random places in device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::memory {

inline constexpr int gather_threads = 256;
inline constexpr int gather_unroll = 8;
inline constexpr std::size_t sector_floats = 8;

/// Sector that read `index` of launch `seed` takes, < sectors; every read is independent of the others.
/// @pre 1 <= sectors < 2^32
GPUGAUGE_HOST_DEVICE inline std::uint32_t gathered_sector(std::uint64_t seed, std::uint64_t index,
                                                          std::uint32_t sectors) {
  return static_cast<std::uint32_t>(((random_bits(seed, index) >> 32) * sectors) >> 32);
}

/// Number of reads in one launch of `blocks` blocks.
constexpr std::uint64_t gather_readings(int blocks, int rounds) {
  return std::uint64_t{gather_threads} / 2 * gather_unroll * static_cast<std::uint64_t>(blocks) *
         static_cast<std::uint64_t>(rounds);
}

/// Reads gather_readings() sectors of `data`, two lanes per sector and 16 bytes per lane. sums[block] = sum
/// modulo 2^32 of all words read. Work: 32 bytes per read. cudaErrorInvalidValue unless `data` is 32-byte
/// aligned, blocks and rounds >= 1, and 1 <= sectors < 2^32.
cudaError_t gather(const float* data, std::size_t sectors, std::uint64_t seed, int blocks, int rounds,
                   std::uint32_t* sums, cudaStream_t stream);

/// *sum (device) = sum modulo 2^32 of the words that `readings` reads of launch `seed` must find in data made
/// by fill_uniform(data_seed). Computed from the generator.
cudaError_t expected_gather(std::size_t sectors, std::uint64_t seed, std::uint64_t readings,
                            std::uint64_t data_seed, std::uint32_t* sum, cudaStream_t stream);

}  // namespace gpugauge::kernels::memory
