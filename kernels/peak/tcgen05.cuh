// The device code of tcgen05.hpp.
#pragma once

#include "kernels/peak/mma.cuh"
#include "kernels/peak/tcgen05.hpp"
#include "kernels/support/barrier.cuh"
#include "kernels/support/bulk.cuh"
#include "kernels/support/grid.hpp"
#include "kernels/support/tcgen05.cuh"

namespace gpugauge::kernels::peak {

/// Whether the architecture being compiled for has the instruction for this type.
template <Element Type>
__device__ constexpr bool has_tcgen05_here() {
#if !GPUGAUGE_HAS_TCGEN05
  return false;
#elif !defined(__CUDA_ARCH__)
  return true;
#else
  return sm100::exists(tcgen05_kind(Type), __CUDA_ARCH__ / 10);
#endif
}

/// The instruction for the type: its kind, and the element type as its descriptor counts it.
template <Element Type>
struct Tcgen05 {
  static constexpr sm100::Kind kind = tcgen05_kind(Type);
  static constexpr std::uint32_t elements = Type == Element::tf32       ? sm100::tf32_of_tf32
                                            : Type == Element::fp8_e4m3 ? sm100::e4m3_of_f8f6f4
                                            : Type == Element::int8     ? sm100::signed_of_i8
                                            : Type == Element::bf16     ? sm100::bf16_of_f16
                                                                        : sm100::fp16_of_f16;
  static constexpr std::uint32_t descriptor =
      sm100::instruction_descriptor(kind, elements, tcgen05_rows, tcgen05_columns);
};

/// Where things lie in shared memory: core matrices of 8 rows x 16 bytes, the two of a row next to each other,
/// then the next 8 rows.
struct Tcgen05Places {
  static constexpr std::uint32_t row_bytes = 32;
  static constexpr std::uint32_t core_bytes = 128;
  static constexpr std::uint32_t group_bytes = 2 * core_bytes;
  static constexpr std::uint32_t a = 0;
  static constexpr std::uint32_t b = a + tcgen05_rows * row_bytes;
  static constexpr std::uint32_t b_bytes = tcgen05_columns * row_bytes;  // of each of the two
  static constexpr std::uint32_t batch = b + 2 * b_bytes;                // two mbarriers
  static constexpr std::uint32_t done = batch + 16;                      // one
  static constexpr std::uint32_t tensor_memory = done + 8;               // an address
  static constexpr std::uint32_t end = tensor_memory + 8;
  static_assert(end + 1023 <= tcgen05_shared_bytes && tcgen05_rounds >= 2);

  /// Half a row, 16 bytes.
  static constexpr __device__ std::uint32_t half_row(int row, int half) {
    return static_cast<std::uint32_t>(row) / 8 * group_bytes + static_cast<std::uint32_t>(half) * core_bytes +
           static_cast<std::uint32_t>(row) % 8 * 16;
  }
};

/// Element k of row `row` of A, or of column `row` of the first or second B.
template <Element Type>
__device__ __forceinline__ std::uint32_t operand_bits(int matrix, int row, int k) {
  return encode(Type, matrix == 0 ? element_a(Type, row, k) : element_b(Type, k, row, matrix == 2));
}

/// Writes half rows of a matrix (0: A, 1 and 2: the two B) of `rows` rows, each thread its share.
template <Element Type>
__device__ __forceinline__ void make_operand(std::uint32_t to, int matrix, int rows) {
  constexpr int per_word = 32 / element_bits(Type);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < 2 * rows; i += tcgen05_threads) {
    std::uint32_t words[4];
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      words[word] = 0;
#pragma unroll
      for (int e = 0; e < per_word; ++e)
        words[word] |= operand_bits<Type>(matrix, i / 2, (i % 2 * 4 + word) * per_word + e)
                       << (e * element_bits(Type));
    }
    sm90::store_words(to + Tcgen05Places::half_row(i / 2, i % 2), words);
  }
}

/// Waits until batch `index` of the launch is done. At most the two latest are in flight.
__device__ __forceinline__ void wait_for_batch(std::uint32_t base, unsigned index) {
  sm90::barrier_wait(base + Tcgen05Places::batch + index % 2 * 8, index / 2 % 2);
  sm100::fence_after_barrier();
}

/// One thread: a round's 2 * pairs + 1 products on `sums`, beginning with batch `batch` of the launch.
template <Element Type>
__device__ __forceinline__ void run_round(std::uint32_t base, std::uint32_t sums, int pairs, unsigned batch) {
  using Places = Tcgen05Places;
  const auto operand = [&](std::uint32_t place) {
    return sm100::operand_descriptor(sm100::Swizzle::none, base + place, Places::core_bytes,
                                     Places::group_bytes);
  };
  const std::uint64_t a = operand(Places::a);
  const std::uint64_t b = operand(Places::b);
  const std::uint64_t b_second = operand(Places::b + Places::b_bytes);
  const auto add_product = [&](std::uint64_t with, bool add) {
    sm100::multiply<Tcgen05<Type>::kind>(sums, a, with, Tcgen05<Type>::descriptor, add);
  };
#pragma unroll 1
  for (int pair = 0; pair < pairs; pair += tcgen05_unroll, ++batch) {
    if (batch >= 2) wait_for_batch(base, batch - 2);
#pragma unroll
    for (int u = 0; u < tcgen05_unroll; ++u) {
      add_product(b, pair + u > 0);
      add_product(b_second, true);
    }
    sm100::commit(base + Places::batch + batch % 2 * 8);
  }
  add_product(b, true);
  sm100::commit(base + Places::done);
}

/// The work of one thread.
template <Element Type>
__device__ __forceinline__ void run_tcgen05(std::uint32_t* words, int pairs) {
  using Places = Tcgen05Places;
  const std::uint32_t base = sm90::shared_base();
  const int warp = sm90::uniform(static_cast<int>(threadIdx.x) / 32);
  make_operand<Type>(base + Places::a, 0, tcgen05_rows);
  make_operand<Type>(base + Places::b, 1, tcgen05_columns);
  make_operand<Type>(base + Places::b + Places::b_bytes, 2, tcgen05_columns);
  sm90::fence_for_asynchronous_reads();
  if (threadIdx.x == 0) {
    sm90::barrier_init(base + Places::batch, 1);
    sm90::barrier_init(base + Places::batch + 8, 1);
    sm90::barrier_init(base + Places::done, 1);
    sm90::barrier_init_fence();
  }
  if (warp == 0) sm100::take_tensor_memory(base + Places::tensor_memory, tcgen05_columns);
  sm100::fence_before_barrier();
  __syncthreads();
  sm100::fence_after_barrier();
  const std::uint32_t sums = sm100::taken_tensor_memory(base + Places::tensor_memory);
  // A warp reads the 32 lanes, which are the rows, that its number names.
  const std::uint32_t mine = sums + (static_cast<std::uint32_t>(warp % 4) << 21) +
                             static_cast<std::uint32_t>(warp / 4) * tcgen05_columns_each;
  const unsigned batches = static_cast<unsigned>(pairs) / tcgen05_unroll;  // of a round
  std::uint32_t word = 0;
#pragma unroll 1
  for (unsigned round = 0; round < tcgen05_rounds; ++round) {
    if (warp == 0) {
      if (sm100::elect()) run_round<Type>(base, sums, pairs, round * batches);
      __syncwarp();
    }
    sm90::barrier_wait(base + Places::done, round % 2);
    sm100::fence_after_barrier();
#pragma unroll 1
    for (std::uint32_t column = 0; column < tcgen05_columns_each; column += 32) {
      std::uint32_t bits[32];
      sm100::load_columns(bits, mine + column);
#pragma unroll
      for (int i = 0; i < 32; ++i)
        word = fold(word, Type == Element::int8 ? bits[i] : bits_of_sum(float_of(bits[i])));
    }
    sm100::fence_before_barrier();
    __syncthreads();
    sm100::fence_after_barrier();
  }
  // The block's shared memory may not go before the last arrivals at its barriers.
  const unsigned last = tcgen05_rounds * batches - 1;
  wait_for_batch(base, last - 1);
  wait_for_batch(base, last);
  if (warp == 0) sm100::give_tensor_memory(sums, tcgen05_columns);
  write_word(words, word);
}

template <typename Type>
__global__ void __launch_bounds__(has_tcgen05_here<Type::element>() ? tcgen05_threads : without_instructions,
                                  1) tcgen05_peak_kernel(std::uint32_t* words, int pairs) {
  if constexpr (has_tcgen05_here<Type::element>()) {
    run_tcgen05<Type::element>(words, pairs);
  } else {
#if defined(__CUDA_ARCH__)
    __trap();
#endif
  }
}

}  // namespace gpugauge::kernels::peak
