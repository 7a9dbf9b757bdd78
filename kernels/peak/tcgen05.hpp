// Matrix instructions of the 5th generation of Tensor Cores (tcgen05: compute capability 10.0, 10.3 and 11.0)
// with operands that stay in shared memory and sums that stay in Tensor Memory: the peak of these Tensor
// Cores. Checked against the PTX ISA by an emulator; not run on such a GPU yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/peak/operands.hpp"
#include "kernels/support/tcgen05_descriptors.hpp"

namespace gpugauge::kernels::peak {

/// m128n256, the widest instruction of one SM, and 32 bytes along k. It reads 4 KiB of A and 8 KiB of B from
/// shared memory: 96 clocks at 128 bytes per clock. It computes for 128 clocks at the SM's rate (8192
/// operations per clock in bf16). So the Tensor Cores bound it, not shared memory.
constexpr int tcgen05_rows = 128;
constexpr int tcgen05_columns = 256;
GPUGAUGE_HOST_DEVICE constexpr int tcgen05_depth(Element element) {
  return 256 / element_bits(element);
}
/// One thread issues; all of them make the operands and read the sums.
constexpr int tcgen05_threads = 256;
/// Columns of the sums that one thread reads: its warpgroup's half.
constexpr int tcgen05_columns_each = tcgen05_columns / (tcgen05_threads / tcgen05_rows);
/// Pairs of steps that are committed together: 16 instructions, 2048 clocks. Two such batches are in flight.
/// `pairs` must be a multiple of it.
constexpr int tcgen05_unroll = 8;
/// How often a launch restarts its sums on the same operands. The most that is exact in fp8, 2048 pairs, takes
/// half a million clocks.
constexpr int tcgen05_rounds = 8;
/// More than half of an SM's shared memory, so that one block has it: a second one would wait for Tensor
/// Memory or share the Tensor Cores.
constexpr int tcgen05_shared_bytes = 120 * 1024;

/// The kind of products with this type; fp64 has none.
GPUGAUGE_HOST_DEVICE constexpr sm100::Kind tcgen05_kind(Element element) {
  return element == Element::tf32       ? sm100::Kind::tf32
         : element == Element::fp8_e4m3 ? sm100::Kind::f8f6f4
         : element == Element::int8     ? sm100::Kind::i8
                                        : sm100::Kind::f16;
}
/// The GPUs with the instruction for this type (100 for 10.0): int8 is not on 10.3.
inline std::vector<int> gpus_with_tcgen05(Element element) {
  std::vector<int> out;
  std::copy_if(sm100::gpus.begin(), sm100::gpus.end(), std::back_inserter(out),
               [&](int capability) { return sm100::exists(tcgen05_kind(element), capability); });
  return out;
}

/// Runs tcgen05_rounds times 2 * pairs + 1 instructions on `blocks` blocks. words[blocks * tcgen05_threads]
/// get the folded results of each thread, expected_tcgen05_words. Work: tcgen05_flops. cudaErrorInvalidValue
/// for fp64, and unless pairs is a multiple of tcgen05_unroll and at most most_pairs. cudaErrorNotSupported
/// on GPUs without it. cudaErrorNoKernelImageForDevice where this build has no code for exactly this compute
/// capability.
cudaError_t tcgen05_peak(Element element, int blocks, int pairs, std::uint32_t* words, cudaStream_t stream);

/// Blocks that fill the current device, one per SM (tcgen05_shared_bytes); 0 when the query fails.
int tcgen05_blocks();

/// Multiplications and additions of one launch.
constexpr double tcgen05_flops(Element element, int blocks, int pairs) {
  return 2.0 * tcgen05_rows * tcgen05_columns * tcgen05_depth(element) * (2.0 * pairs + 1) * tcgen05_rounds *
         blocks;
}

/// The words that the threads of a block must write. Thread t reads row t % 128 and the columns of its
/// warpgroup in order. They are the same after every round.
inline std::vector<std::uint32_t> expected_tcgen05_words(Element element, int pairs) {
  std::vector<std::uint32_t> words;
  words.reserve(tcgen05_threads);
  for (int thread = 0; thread < tcgen05_threads; ++thread) {
    const int first = thread / tcgen05_rows * tcgen05_columns_each;
    std::vector<std::uint32_t> bits;
    for (int column = first; column < first + tcgen05_columns_each; ++column)
      bits.push_back(result_bits(
          element, expected_sum(element, thread % tcgen05_rows, column, tcgen05_depth(element), pairs)));
    std::uint32_t word = 0;
    for (int round = 0; round < tcgen05_rounds; ++round)
      for (const std::uint32_t one : bits) word = fold(word, one);
    words.push_back(word);
  }
  return words;
}

}  // namespace gpugauge::kernels::peak
