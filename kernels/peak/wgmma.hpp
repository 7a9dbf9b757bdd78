// Matrix instructions of a warpgroup (wgmma, compute capability 9.0 alone) with operands that stay in shared
// memory: the most that the Tensor Cores of 9.0 reach.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/peak/operands.hpp"

namespace gpugauge::kernels::peak {

/// m64n256, the widest instruction, and 32 bytes along k. It reads 2 KiB of A and 8 KiB of B from shared
/// memory, 80 clocks at 128 bytes a clock, and computes for 128 clocks at the SM's rate (4096 operations a
/// clock in bf16): the Tensor Cores bound it, not shared memory. Narrower instructions would turn that round.
constexpr int wgmma_rows = 64;
constexpr int wgmma_columns = 256;
GPUGAUGE_HOST_DEVICE constexpr int wgmma_depth(Element element) {
  return 256 / element_bits(element);
}
/// Two warpgroups: while one waits for its batch to end, the other's is under way.
constexpr int wgmma_threads = 256;
/// Pairs of steps between two waits, 16 instructions or 2048 clocks; `pairs` must be a multiple of it.
constexpr int wgmma_unroll = 8;
/// Times that a launch begins its sums anew, on the same operands: making these takes some 27,000 clocks in
/// fp8 (stall counts of the machine code, not measured), and 2048 pairs, the most that is exact there, a
/// million.
constexpr int wgmma_rounds = 4;

/// Runs wgmma_rounds times 2 * pairs + 1 instructions in each warpgroup on `blocks` blocks; words[blocks *
/// wgmma_threads] are the folded results of each thread, expected_wgmma_word of its place in the warpgroup.
/// Work: wgmma_flops. cudaErrorInvalidValue for fp64, for pairs that are no multiple of wgmma_unroll or more
/// than most_pairs; cudaErrorNotSupported on any compute capability but 9.0, cudaErrorNoKernelImageForDevice
/// where this build has code for GPUs below it only.
cudaError_t wgmma_peak(Element element, int blocks, int pairs, std::uint32_t* words, cudaStream_t stream);

/// Blocks that fill the current device, at least 1; 0 when it cannot be asked.
int wgmma_blocks(Element element);

/// Multiplications and additions of one launch.
constexpr double wgmma_flops(Element element, int blocks, int pairs) {
  return 2.0 * wgmma_rows * wgmma_columns * wgmma_depth(element) * (2.0 * pairs + 1) * wgmma_rounds * blocks *
         (wgmma_threads / 128);
}

/// What the thread with this number in its warpgroup (0 to 127) must write: with warp w, g = lane / 4, q =
/// lane % 4, its registers hold C (16w + g, 8j + 2q), (16w + g, 8j + 2q + 1), and the same 8 rows below, for
/// j = 0 to 31, the same after every round.
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
