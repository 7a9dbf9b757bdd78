// Reading one footprint over and over from every SM: the bandwidth of the level of the memory hierarchy that
// holds it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::memory {

/// Threads of a block; one block an SM. A footprint is a multiple of footprint_step bytes.
inline constexpr int footprint_threads = 1024;
inline constexpr int footprint_unroll = 4;
inline constexpr std::size_t footprint_step = std::size_t{footprint_threads} * 16;
/// Just under 64 GiB: places are counted in 32 bits.
inline constexpr std::size_t most_footprint_vectors = (std::size_t{1} << 32) - footprint_threads;

/// What one launch reads of a footprint: every word the same number of times.
struct FootprintPlan {
  std::size_t vectors = 0;            ///< of 16 bytes in the footprint
  std::size_t vectors_per_block = 0;  ///< that each block reads, wrapping around at the footprint's end
  std::size_t start_stride = 0;       ///< block b begins at vector b * start_stride
  std::uint64_t readings = 0;         ///< how often the launch reads each word

  /// Bytes that `blocks` blocks, those of the plan, read together.
  double bytes(int blocks) const {
    return 16.0 * static_cast<double>(vectors_per_block) * static_cast<double>(blocks);
  }
};

/// A plan for `bytes` (> 0, a multiple of footprint_step) and `blocks` blocks. Up to `whole_until` bytes each
/// block reads all of the footprint, as many times as bring about `target_bytes` of reading in total, every
/// block from a place of its own; above that each block reads its own slice, and the launch reads the
/// footprint once: its size is then rounded down to a multiple of what all blocks read in one step.
/// @pre bytes >= blocks * footprint_step where bytes > whole_until
inline FootprintPlan plan_footprint(std::size_t bytes, int blocks, std::size_t whole_until,
                                    std::size_t target_bytes) {
  FootprintPlan plan;
  const auto count = static_cast<std::size_t>(blocks);
  const std::size_t vectors = bytes / 16;
  if (bytes <= whole_until) {
    plan.vectors = vectors;
    plan.readings = std::max<std::size_t>(1, target_bytes / (bytes * count)) * count;
    plan.vectors_per_block = plan.readings / count * vectors;
    plan.start_stride = vectors / count / 8 * 8;  // whole lines of 128 bytes
  } else {
    const std::size_t step = count * footprint_threads;
    plan.vectors_per_block = vectors / step * footprint_threads;
    plan.vectors = plan.vectors_per_block * count;
    plan.start_stride = plan.vectors_per_block;
    plan.readings = 1;
  }
  return plan;
}

/// sums[block] = sum modulo 2^32 of the words that the block read. Their total is plan.readings times the sum
/// of the footprint's words. `data` is 16-byte aligned and the footprint has most_footprint_vectors at most,
/// else cudaErrorInvalidValue. Loads go through L1.
cudaError_t read_footprint(const float* data, const FootprintPlan& plan, int blocks, std::uint32_t* sums,
                           cudaStream_t stream);

}  // namespace gpugauge::kernels::memory
