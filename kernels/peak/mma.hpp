// Warp-level matrix instructions (mma.sync) from registers to registers only: the peak of the Tensor Cores
// without memory.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/peak/operands.hpp"

namespace gpugauge::kernels::peak {

/// One instruction. C is rows x columns, A rows x depth, B depth x columns.
struct MmaShape {
  int rows;     ///< of A and C
  int columns;  ///< of B and C
  int depth;    ///< columns of A, rows of B
};

/// m16n8 with 256 bits of a row of A for all types but fp64. fp64: m8n8k4, or with `large` m16n8k16, which
/// exists from compute capability 9.0 on.
constexpr MmaShape mma_shape(Element element, bool large = false) {
  if (element == Element::fp64) return large ? MmaShape{16, 8, 16} : MmaShape{8, 8, 4};
  return MmaShape{16, 8, 256 / element_bits(element)};
}

/// The first compute capability with the instruction. 7.5 has smaller ones for the same operands, sums and
/// work: two m16n8k8 for fp16, one per half of the depth, and four m8n8k16 for int8, one per half of the rows
/// and of the depth.
GPUGAUGE_HOST_DEVICE constexpr int least_compute_capability(Element element, bool large = false) {
  if (element == Element::fp64 && large) return 90;
  if (element == Element::fp8_e4m3) return 89;
  return element == Element::fp16 || element == Element::int8 ? 75 : 80;
}

constexpr int mma_threads = 256;
/// Accumulators per warp, each an independent chain. Assumed, not measured: an m16n8 instruction has a
/// latency of about 33 clocks. A quarter of an SM could begin one every 8 clocks on 8.0 and every 4 on 9.0,
/// so 9 in flight keep it busy. Eight chains in each of four or more warps per quarter are 32, over three
/// times that.
constexpr int mma_chains = 8;
/// Pairs of steps in the body of the loop; `pairs` must be a multiple of it.
constexpr int mma_unroll = 8;
/// How often a launch restarts its sums on the same operands. In fp8 at most 2048 pairs are exact
/// (most_pairs). On 9.0 making the operands takes 1/40 of the instructions of 2048 pairs.
GPUGAUGE_HOST_DEVICE constexpr int mma_rounds(Element element) {
  return element == Element::fp8_e4m3 ? 4 : 1;
}

/// Runs mma_rounds times 2 * pairs + 1 instructions in each chain of each warp, on `blocks` blocks.
/// words[blocks * mma_threads] get the folded results of each thread, expected_mma_word of its lane. Work:
/// mma_flops. cudaErrorInvalidValue unless pairs is a multiple of mma_unroll and at most most_pairs.
/// cudaErrorNotSupported below least_compute_capability. cudaErrorNoKernelImageForDevice where this build has
/// code only for GPUs below it.
cudaError_t mma_peak(Element element, bool large, int blocks, int pairs, std::uint32_t* words,
                     cudaStream_t stream);

/// Blocks that fill the current device, at least 1; 0 when the query fails.
int mma_blocks(Element element, bool large);

/// Multiplications and additions of one launch.
constexpr double mma_flops(Element element, bool large, int blocks, int pairs) {
  const MmaShape shape = mma_shape(element, large);
  return 2.0 * shape.rows * shape.columns * shape.depth * (2.0 * pairs + 1) * mma_rounds(element) *
         mma_chains * blocks * (mma_threads / 32);
}

/// The word that every thread of this lane must write.
inline std::uint32_t expected_mma_word(Element element, bool large, int lane, int pairs) {
  const MmaShape shape = mma_shape(element, large);
  std::uint32_t word = 0;
  for (int round = 0; round < mma_rounds(element); ++round)
    for (int chain = 0; chain < mma_chains; ++chain)
      for (int row = lane / 4; row < shape.rows; row += 8)
        for (int odd = 0; odd < 2; ++odd) {
          const int column = chain * shape.columns + lane % 4 * 2 + odd;
          word = fold(word, result_bits(element, expected_sum(element, row, column, shape.depth, pairs)));
        }
  return word;
}

}  // namespace gpugauge::kernels::peak
