// The functions of kernels/support/tcgen05.cuh as the PTX ISA describes the instructions, on the host: operands
// are read through their descriptors from shared memory, as early or as late as the instructions allow.
#pragma once

#include <utility>

#include "cluster.hpp"
#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"
#include "kernels/support/tcgen05_descriptors.hpp"

#define GPUGAUGE_HAS_TCGEN05 1

namespace emulator {

/// When a product reads its operands: as it starts, or as somebody waits for its end.
inline Arrival tensor_products = Arrival::early;

/// `field` of `bits` bits of a descriptor, from bit `from` on.
constexpr std::uint64_t field(std::uint64_t descriptor, unsigned from, unsigned bits) {
  return descriptor >> from & ((std::uint64_t{1} << bits) - 1);
}

/// Table "Shared memory descriptor layout" of tcgen05.
struct TensorOperand {
  explicit TensorOperand(std::uint64_t descriptor)
      : start(field(descriptor, 0, 14) << 4),
        leading(field(descriptor, 16, 14) << 4),
        stride(field(descriptor, 32, 14) << 4),
        is_swizzled(field(descriptor, 61, 3) == 2) {
    EXPECT_EQ(field(descriptor, 46, 3), 1U) << "a fixed constant";
    EXPECT_EQ(field(descriptor, 49, 3), 0U) << "base offset";
    EXPECT_EQ(field(descriptor, 52, 1), 0U) << "relative offset along k";
    EXPECT_EQ(field(descriptor, 53, 8), 0U) << "a fixed constant";
    EXPECT_TRUE(is_swizzled || field(descriptor, 61, 3) == 0) << "no other swizzle is used";
  }
  std::size_t start, leading, stride;
  bool is_swizzled;

  /// Byte `byte` of 32 along k. Without swizzle in core matrices of 8 rows x 16 bytes.
  std::size_t along_k(std::size_t row, std::size_t byte) const {
    if (is_swizzled) return swizzled(start + row / 8 * stride + row % 8 * 128 + byte);
    return start + row / 8 * stride + byte / 16 * leading + row % 8 * 16 + byte % 16;
  }
  /// Two bytes an element: 64 columns in a row of 128 bytes, a row each k.
  std::size_t along_columns(std::size_t k, std::size_t column) const {
    EXPECT_TRUE(is_swizzled) << "no other layout is used";
    return swizzled(start + column / 64 * leading + k / 8 * stride + k % 8 * 128 + column % 64 * 2);
  }
  static std::size_t swizzled(std::size_t address) { return address ^ (address >> 7 & 7) << 4; }
};

/// Table "Instruction descriptor format for .kind::tf32, .kind::f16, .kind::f8f6f4 and .kind::i8".
struct Instruction {
  explicit Instruction(std::uint32_t descriptor)
      : sums(field(descriptor, 4, 2)),
        a(field(descriptor, 7, 3)),
        b(field(descriptor, 10, 3)),
        b_by_columns(field(descriptor, 16, 1) == 1),
        columns(field(descriptor, 17, 6) * 8),
        rows(field(descriptor, 24, 5) * 16) {
    for (const unsigned bit : {0U, 1U, 2U, 3U, 6U, 13U, 14U, 15U, 23U, 29U, 30U, 31U})
      EXPECT_EQ(field(descriptor, bit, 1), 0U) << "dense, no saturation, nothing negated, A along k: " << bit;
    EXPECT_TRUE(rows == 64 || rows == 128) << rows;
    EXPECT_TRUE(columns >= 16 && columns <= 256 && columns % 16 == 0) << columns;
  }
  std::size_t sums, a, b;
  bool b_by_columns;
  std::size_t columns, rows;
};

/// An element of the kind, by the number that the descriptor gives its type.
template <gpugauge::kernels::sm100::Kind Of>
float element_of_kind(std::size_t type, std::size_t place) {
  namespace kernels = gpugauge::kernels;
  using kernels::sm100::Kind;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &here->memory.at(place), Of == Kind::tf32 ? 4 : Of == Kind::f16 ? 2 : 1);
  if constexpr (Of == Kind::tf32) {
    EXPECT_EQ(type, 2U);
    EXPECT_EQ(bits & 0x1fffU, 0U) << "more than tf32 holds";
    return kernels::float_of(bits);
  }
  if constexpr (Of == Kind::f16) {
    EXPECT_LE(type, 1U);
    return type == 0 ? kernels::to_float(kernels::Fp16{static_cast<std::uint16_t>(bits)})
                     : kernels::to_float(kernels::Bf16{static_cast<std::uint16_t>(bits)});
  }
  if constexpr (Of == Kind::f8f6f4) {
    EXPECT_EQ(type, 0U) << "e4m3";
    return kernels::to_float(kernels::E4m3{static_cast<std::uint8_t>(bits)});
  }
  EXPECT_EQ(type, 1U) << "signed";
  return static_cast<float>(static_cast<std::int8_t>(bits));
}

/// All elements of an operand: of row 0 along k, of row 1, and so on. `rows` are B's columns.
template <gpugauge::kernels::sm100::Kind Of>
std::vector<float> operand_of(std::uint64_t descriptor, std::size_t type, std::size_t rows, bool by_columns) {
  using gpugauge::kernels::sm100::Kind;
  constexpr std::size_t bytes = Of == Kind::tf32 ? 4 : Of == Kind::f16 ? 2 : 1;
  const TensorOperand matrix(descriptor);
  EXPECT_TRUE(!by_columns || bytes == 2);
  std::vector<float> out;
  out.reserve(rows * 32 / bytes);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t k = 0; k < 32 / bytes; ++k)
      out.push_back(element_of_kind<Of>(
          type, by_columns ? matrix.along_columns(k, row) : matrix.along_k(row, k * bytes)));
  return out;
}

/// Sums of 128 rows: row i in lane i, column j in column j, as fp32 or int32.
template <gpugauge::kernels::sm100::Kind Of>
void multiply_now(ClusterBlock& block_of, std::uint32_t sums, std::uint64_t a_descriptor,
                  std::uint64_t b_descriptor, std::uint32_t instruction, bool add) {
  using gpugauge::kernels::sm100::Kind;
  // A thread that waits may be the one that computes, also one of another block.
  ClusterBlock* const mine = std::exchange(here, &block_of);
  const Instruction how(instruction);
  EXPECT_EQ(how.rows, 128U) << "the layout of others is another";
  EXPECT_EQ(how.sums, Of == Kind::i8 ? 2U : 1U);
  const std::vector<float> a = operand_of<Of>(a_descriptor, how.a, how.rows, false);
  const std::vector<float> b = operand_of<Of>(b_descriptor, how.b, how.columns, how.b_by_columns);
  const std::size_t depth = a.size() / how.rows;
  for (std::size_t row = 0; row < how.rows; ++row)
    for (std::size_t column = 0; column < how.columns; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < depth; ++k) sum += a[row * depth + k] * b[column * depth + k];
      std::uint32_t& to = block_of.tensor.at(row, sums % 65536 + column);
      if constexpr (Of == Kind::i8) {
        to = static_cast<std::uint32_t>(static_cast<std::int32_t>(sum)) + (add ? to : 0U);
      } else {
        sum += add ? gpugauge::kernels::float_of(to) : 0.0F;
        to = gpugauge::kernels::bits_of(sum);
      }
    }
  here = mine;
}

}  // namespace emulator

namespace gpugauge::kernels::sm100 {

inline bool elect() {
  emulator::warp->barrier.arrive_and_wait();
  return emulator::lane == 0;
}

inline void take_tensor_memory(std::uint32_t to, std::uint32_t columns) {
  emulator::warp->barrier.arrive_and_wait();
  if (emulator::lane != 0) return;
  EXPECT_TRUE(columns >= 32 && columns <= 512 && (columns & (columns - 1)) == 0) << columns;
  EXPECT_EQ(emulator::here->tensor.taken, 0U);
  emulator::here->tensor.holder = threadIdx.x / 32;
  emulator::here->tensor.taken = columns;
  // Where other blocks could hold columns, they hold the first.
  const std::uint32_t first = emulator::here->tensor.first = columns > 256 ? 0 : 256;
  std::memcpy(&emulator::here->memory.at(to), &first, sizeof first);
}

inline std::uint32_t taken_tensor_memory(std::uint32_t at) {
  std::uint32_t address = 0;
  std::memcpy(&address, &emulator::here->memory.at(at), sizeof address);
  return address;
}

inline void give_tensor_memory(std::uint32_t address, std::uint32_t columns) {
  emulator::warp->barrier.arrive_and_wait();
  if (emulator::lane != 0) return;
  EXPECT_EQ(address, emulator::here->tensor.first);
  EXPECT_EQ(threadIdx.x / 32, emulator::here->tensor.holder) << "another warp took it";
  EXPECT_EQ(emulator::here->tensor.taken, columns);
  EXPECT_TRUE(emulator::here->tensor.idle()) << "given back under products";
  emulator::here->tensor.taken = 0;
}

inline void fence_before_barrier() {
  emulator::tensor_unfenced = false;
  EXPECT_FALSE(emulator::unfenced) << "operands are handed to tcgen05 without a fence";
}
inline void fence_after_barrier() {
  emulator::barrier_unfenced = false;
}

template <Kind Of>
void multiply(std::uint32_t sums, std::uint64_t a, std::uint64_t b, std::uint32_t instruction, bool add) {
  emulator::TensorMemory& tensor = emulator::here->tensor;
  EXPECT_GE(sums, tensor.first);
  EXPECT_LE(sums + emulator::Instruction(instruction).columns, tensor.first + tensor.taken)
      << "columns that nobody took";
  EXPECT_FALSE(emulator::barrier_unfenced) << "a product after a barrier without a fence";
  emulator::tensor_unfenced = true;
  {
    const std::scoped_lock lock(tensor.mutex);
    if (tensor.products.empty()) tensor.issuer = threadIdx.x;
    EXPECT_EQ(tensor.issuer, threadIdx.x) << "products of two threads do not follow each other";
    tensor.products.push_back({sums, [&at = *emulator::here, sums, a, b, instruction, add] {
                                 emulator::multiply_now<Of>(at, sums, a, b, instruction, add);
                               }});
  }
  if (emulator::tensor_products == emulator::Arrival::early) tensor.finish(tensor.started());
}

/// At a barrier of this block, or of another one.
inline void commit_at(emulator::PhaseBarrier& toward) {
  EXPECT_EQ(emulator::here->tensor.issuer, threadIdx.x) << "another thread's products are not waited for";
  emulator::tensor_unfenced = false;
  const std::scoped_lock lock(toward.mutex);
  toward.copies.emplace_back(
      [&toward, &tensor = emulator::here->tensor, count = emulator::here->tensor.started()] {
        tensor.finish(count);
        EXPECT_GT(toward.pending, 0U) << "more arrivals than the barrier counts";
        --toward.pending;
        return 0L;
      });
  if (emulator::tensor_products == emulator::Arrival::early)
    toward.land();
  else
    toward.changed.notify_all();  // whoever waits makes it land
}

inline void commit(std::uint32_t barrier) {
  commit_at(emulator::here->barrier(barrier));
}

inline void commit_in_blocks(std::uint32_t barrier, std::uint32_t blocks) {
  for (std::uint32_t rank = 0; rank < 16; ++rank)
    if ((blocks >> rank & 1) != 0)
      commit_at(emulator::cluster->reached(rank, emulator::rank_here).barrier(barrier));
}

inline void load_columns(std::uint32_t (&to)[32], std::uint32_t from) {
  EXPECT_FALSE(emulator::barrier_unfenced) << "sums are read after a barrier without a fence";
  emulator::tensor_unfenced = true;
  const std::size_t warp = threadIdx.x / 32;
  EXPECT_EQ(from >> 16, warp % 4 * 32) << "lanes that are not this warp's";
  EXPECT_FALSE(emulator::here->tensor.adds_to(from % 65536))
      << "sums are read before their products are done";
  for (std::size_t i = 0; i < 32; ++i)
    to[i] = emulator::here->tensor.at((from >> 16) + threadIdx.x % 32, from % 65536 + i);
}

}  // namespace gpugauge::kernels::sm100
