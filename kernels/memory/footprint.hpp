// Reads one footprint repeatedly from every SM, to measure the bandwidth of the memory level that holds it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::memory {

/// Threads per block, with one block per SM. A footprint is a multiple of footprint_step bytes.
inline constexpr int footprint_threads = 1024;
inline constexpr int footprint_unroll = 4;
inline constexpr std::size_t footprint_step = std::size_t{footprint_threads} * 16;
/// Just under 64 GiB, because vectors are counted in 32 bits.
inline constexpr std::size_t most_footprint_vectors = (std::size_t{1} << 32) - footprint_threads;

/// What one launch reads of a footprint: every word the same number of times. A footprint consists of slices
/// of equal size. In every turn a block reads one slice, `hop` slices after its previous one.
struct FootprintPlan {
  std::size_t vectors = 0;        ///< 16-byte vectors in the footprint
  std::size_t slice_vectors = 0;  ///< read per block and turn, wrapping around at the footprint's end
  std::size_t start_stride = 0;   ///< block b begins its first turn at vector b * start_stride
  std::uint32_t turns = 0;        ///< turns of every block
  std::uint32_t hop = 0;          ///< turn t of block b starts where block b + t * hop began
  std::uint64_t readings = 0;     ///< how often the launch reads each word

  /// Bytes that the plan's `blocks` blocks read together.
  double bytes(int blocks) const {
    return 16.0 * static_cast<double>(slice_vectors) * static_cast<double>(turns) *
           static_cast<double>(blocks);
  }
};

/// Plans `blocks` blocks over `bytes` (> 0, a multiple of footprint_step) that read about `target_bytes` in
/// total. Where slices would be too small to keep a block busy, each block reads the whole footprint in one
/// turn, from its own start. Otherwise a different block reads each slice in every turn. Then no two blocks
/// read the same data at one time, which a cache would deliver only once. And no block rereads what its L1
/// may hold. The footprint is then rounded down to a multiple of what all blocks read in one step.
inline FootprintPlan plan_footprint(std::size_t bytes, int blocks, std::size_t target_bytes) {
  FootprintPlan plan;
  const auto count = static_cast<std::size_t>(blocks);
  const std::size_t step = count * footprint_threads;
  const std::size_t vectors = bytes / 16;
  if (vectors < footprint_unroll * step) {
    plan.vectors = vectors;
    plan.readings = std::max<std::size_t>(1, target_bytes / (bytes * count)) * count;
    plan.slice_vectors = plan.readings / count * vectors;
    plan.start_stride = vectors / count / 8 * 8;  // whole lines of 128 bytes
    plan.turns = 1;
  } else {
    plan.slice_vectors = vectors / step * footprint_threads;
    plan.vectors = plan.slice_vectors * count;
    plan.start_stride = plan.slice_vectors;
    plan.readings = std::max<std::size_t>(1, target_bytes / (plan.vectors * 16));
    plan.turns = static_cast<std::uint32_t>(plan.readings);
    // Far from its neighbours, so that a slower block does not start to read in step with the next one.
    // Coprime to the number of blocks, so that a block returns to a slice only after it has read all.
    plan.hop = static_cast<std::uint32_t>(count * 2 / 7 + 1);
    while (std::gcd(plan.hop, count) != 1) ++plan.hop;
  }
  return plan;
}

/// sums[block] = sum modulo 2^32 of the words that the block read. Their total is plan.readings times the sum
/// of the footprint's words. cudaErrorInvalidValue unless `data` is 16-byte aligned and the footprint has at
/// most most_footprint_vectors. Loads go through L1.
cudaError_t read_footprint(const float* data, const FootprintPlan& plan, int blocks, std::uint32_t* sums,
                           cudaStream_t stream);

}  // namespace gpugauge::kernels::memory
