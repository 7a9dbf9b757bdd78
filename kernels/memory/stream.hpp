// Streaming over device memory: read, write, copy, scale, add and triad of fp32 arrays of any element count,
// with 16-byte accesses. All pointers must be 16-byte aligned, else cudaErrorInvalidValue. A count of 0 is
// allowed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"

namespace gpugauge::kernels::memory {

/// For read() and write(): threads per block, outstanding 16-byte accesses per reading thread, and persistent
/// blocks per SM.
inline constexpr int threads = 256;
inline constexpr int unroll = 4;
inline constexpr int blocks_per_sm = 8;

/// Threads per block of the other kernels. Each thread handles one 16-byte vector of each array, then ends.
/// Blocks begin in the order of the arrays, so that concurrent accesses lie close together in device memory.
/// On an H100 blocks of 1024 moved 8% more bytes than persistent blocks. On an H200 a copy by blocks of 256
/// was 3.5% faster than by 1024, and as fast as cudaMemcpyAsync. A triad was equally fast with both.
inline constexpr int map_threads = 256;

/// Number of blocks of map_threads threads for arrays of `count` elements, at least one. Threads of the first
/// block handle the last elements that do not fill a vector.
constexpr std::size_t map_blocks(std::size_t count) {
  const std::size_t vectors = count / 4;
  return vectors <= map_threads ? 1 : (vectors - 1) / map_threads + 1;
}

/// Number of blocks, and of partial sums, of read() on a GPU of this many SMs.
constexpr std::size_t read_blocks(int sm_count) {
  return static_cast<std::size_t>(sm_count) * blocks_per_sm;
}

/// Adds up the 32-bit words of `data` as unsigned integers: partial_sums[block] for each of read_blocks()
/// blocks. Exact, so that the total (modulo 2^64) does not depend on the grid. Work: count * 4 bytes read.
cudaError_t read(const float* data, std::size_t count, unsigned long long* partial_sums, cudaStream_t stream);

/// to[i] = from[i]. Work: count * 4 bytes read and as many written. The arrays must not overlap.
cudaError_t copy(const float* from, float* to, std::size_t count, cudaStream_t stream);

/// to[i] = from[i] and other_to[i] = other_from[i], at once: each thread loads of both before it stores of one.
/// Work: count * 8 bytes read and as many written. The arrays must not overlap.
cudaError_t copy_pair(const float* from, float* to, const float* other_from, float* other_to,
                      std::size_t count, cudaStream_t stream);

/// to[i] = value. Work: count * 4 bytes written.
cudaError_t write(float value, float* to, std::size_t count, cudaStream_t stream);

/// to[i] = factor * from[i]. Work: count * 4 bytes read and as many written. The arrays must not overlap.
cudaError_t scale(const float* from, float factor, float* to, std::size_t count, cudaStream_t stream);

/// a[i] = b[i] + c[i]. Work: count * 8 bytes read, count * 4 written. The arrays must not overlap.
cudaError_t add(const float* b, const float* c, float* a, std::size_t count, cudaStream_t stream);

/// a[i] = fma(factor, c[i], b[i]). Work: count * 8 bytes read, count * 4 written. The arrays must not
/// overlap.
cudaError_t triad(const float* b, const float* c, float factor, float* a, std::size_t count,
                  cudaStream_t stream);

// Verification against the generator: expected values are computed, not read from memory.

/// *sum (device) = sum modulo 2^64 of the bits of uniform(seed, i) for i < count. read() must find this sum.
cudaError_t expected_read(std::size_t count, std::uint64_t seed, unsigned long long* sum,
                          cudaStream_t stream);

// The others compare all `count` elements into *found (device).

/// Counts as wrong the elements of `to` that differ from uniform(seed, i) bit for bit.
cudaError_t count_copy_mismatches(const float* to, std::size_t count, std::uint64_t seed, Comparison* found,
                                  cudaStream_t stream);

/// Counts as wrong the elements of `to` that differ from `value` bit for bit.
cudaError_t count_write_mismatches(const float* to, std::size_t count, float value, Comparison* found,
                                   cudaStream_t stream);

/// Counts as wrong the elements of `to` that differ from factor * uniform(seed, i) bit for bit.
cudaError_t count_scale_mismatches(const float* to, std::size_t count, std::uint64_t seed, float factor,
                                   Comparison* found, cudaStream_t stream);

/// Counts as wrong the elements of `a` that differ from uniform(seed_b, i) + uniform(seed_c, i) bit for bit.
cudaError_t count_add_mismatches(const float* a, std::size_t count, std::uint64_t seed_b,
                                 std::uint64_t seed_c, Comparison* found, cudaStream_t stream);

/// Counts as wrong the elements of `a` that differ from fma(factor, uniform(seed_c, i), uniform(seed_b, i))
/// bit for bit.
cudaError_t count_triad_mismatches(const float* a, std::size_t count, std::uint64_t seed_b,
                                   std::uint64_t seed_c, float factor, Comparison* found,
                                   cudaStream_t stream);

}  // namespace gpugauge::kernels::memory
