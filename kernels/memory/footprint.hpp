// Reading one footprint over and over from every SM: the bandwidth of the level of the memory hierarchy that
// holds it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::memory {

/// Threads of a block; one block an SM. A footprint is a multiple of footprint_step bytes.
inline constexpr int footprint_threads = 1024;
inline constexpr int footprint_unroll = 4;
inline constexpr std::size_t footprint_step = std::size_t{footprint_threads} * 16;
/// Just under 64 GiB: places are counted in 32 bits.
inline constexpr std::size_t most_footprint_vectors = (std::size_t{1} << 32) - footprint_threads;

/// What one launch reads of a footprint: every word the same number of times. A footprint consists of slices
/// of equal size; in every turn a block reads one of them, `hop` slices behind the one before.
struct FootprintPlan {
  std::size_t vectors = 0;        ///< of 16 bytes in the footprint
  std::size_t slice_vectors = 0;  ///< that a block reads in one turn, wrapping around at the footprint's end
  std::size_t start_stride = 0;   ///< block b begins its first turn at vector b * start_stride
  std::uint32_t turns = 0;        ///< of every block
  std::uint32_t hop = 0;  ///< blocks from one turn to the next: turn t of block b is where b + t * hop began
  std::uint64_t readings = 0;  ///< how often the launch reads each word

  /// Bytes that `blocks` blocks, those of the plan, read together.
  double bytes(int blocks) const {
    return 16.0 * static_cast<double>(slice_vectors) * static_cast<double>(turns) *
           static_cast<double>(blocks);
  }
};

/// A plan for `bytes` (> 0, a multiple of footprint_step) and `blocks` blocks that bring about `target_bytes`
/// of reading in total. Where slices for all blocks would be too small to keep a block busy, each reads all
/// of the footprint in one turn, from a place of its own. Else each slice is read by another block in every
/// turn: no two read the same at one time, of which a cache would have to deliver one copy only, and no block
/// reads again what its L1 may hold. The footprint's size is then rounded down to a multiple of what all
/// blocks read in one step.
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
    // Far from its neighbours, so that a block that is slower than the next does not come to read with it;
    // and prime to their number, so that a block comes back to a slice only when it has read all.
    plan.hop = static_cast<std::uint32_t>(count * 2 / 7 + 1);
    while (std::gcd(plan.hop, count) != 1) ++plan.hop;
  }
  return plan;
}

/// sums[block] = sum modulo 2^32 of the words that the block read. Their total is plan.readings times the sum
/// of the footprint's words. `data` is 16-byte aligned and the footprint has most_footprint_vectors at most,
/// else cudaErrorInvalidValue. Loads go through L1.
cudaError_t read_footprint(const float* data, const FootprintPlan& plan, int blocks, std::uint32_t* sums,
                           cudaStream_t stream);

}  // namespace gpugauge::kernels::memory
