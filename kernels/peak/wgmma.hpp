// Warpgroup-level matrix instructions (wgmma, compute capability 9.0 only) with operands that stay in shared
// memory: the peak of the Tensor Cores of 9.0.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/peak/operands.hpp"

namespace gpugauge::kernels::peak {

/// m64n256, the widest instruction, and 32 bytes along k. It reads 2 KiB of A and 8 KiB of B from shared
/// memory: 80 clocks at 128 bytes per clock. It computes for 128 clocks at the SM's rate (4096 operations per
/// clock in bf16). So the Tensor Cores bound it, not shared memory. For narrower instructions shared memory
/// would be the bound.
constexpr int wgmma_rows = 64;
constexpr int wgmma_columns = 256;
GPUGAUGE_HOST_DEVICE constexpr int wgmma_depth(Element element) {
  return 256 / element_bits(element);
}
/// Two warpgroups: while one waits for its batch to end, the other's is in flight.
constexpr int wgmma_threads = 256;
/// Pairs of steps between two waits: 16 instructions or 2048 clocks. `pairs` must be a multiple of it.
constexpr int wgmma_unroll = 8;
/// How often a launch restarts its sums on the same operands. Making the operands takes about 27,000 clocks
/// in fp8 (from stall counts of the machine code, not measured). 2048 pairs, the most that are exact there,
/// take a million.
constexpr int wgmma_rounds = 4;

/// Runs wgmma_rounds times 2 * pairs + 1 instructions in each warpgroup on `blocks` blocks. words[blocks *
/// wgmma_threads] get the folded results of each thread, expected_wgmma_word of its place in the warpgroup.
/// Work: wgmma_flops. cudaErrorInvalidValue for fp64, and unless pairs is a multiple of wgmma_unroll and at
/// most most_pairs. cudaErrorNotSupported on any compute capability but 9.0. cudaErrorNoKernelImageForDevice
/// where this build has code only for GPUs below it.
cudaError_t wgmma_peak(Element element, int blocks, int pairs, std::uint32_t* words, cudaStream_t stream);

/// Blocks that fill the current device, at least 1; 0 when the query fails.
int wgmma_blocks(Element element);

/// Multiplications and additions of one launch.
constexpr double wgmma_flops(Element element, int blocks, int pairs) {
  return 2.0 * wgmma_rows * wgmma_columns * wgmma_depth(element) * (2.0 * pairs + 1) * wgmma_rounds * blocks *
         (wgmma_threads / 128);
}

/// The word that thread `thread` of a warpgroup (0 to 127) must write. With warp w, g = lane / 4, q = lane %
/// 4, its registers hold C (16w + g, 8j + 2q), (16w + g, 8j + 2q + 1), and the same 8 rows below, for j = 0
/// to 31. They are the same after every round.
inline std::uint32_t expected_wgmma_word(Element element, int thread, int pairs) {
  const int lane = thread % 32;
  std::uint32_t word = 0;
  for (int round = 0; round < wgmma_rounds; ++round)
    for (int i = 0; i < wgmma_rows * wgmma_columns / 128; ++i) {
      const int row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      word =
          fold(word, result_bits(element, expected_sum(element, row, column, wgmma_depth(element), pairs)));
    }
  return word;
}

}  // namespace gpugauge::kernels::peak
