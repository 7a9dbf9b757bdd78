// The arithmetic behind the wgmma products, against exact values and the figures of the PTX ISA.
#include <set>

#include <gtest/gtest.h>

#include "kernels/gemm/layout.hpp"
#include "kernels/gemm/tensor_map.hpp"
#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace {

using namespace gpugauge::kernels;
using namespace gpugauge::kernels::gemm;

TEST(Swizzle128, exchanges_address_bits_4_to_6_with_their_exclusive_or_with_bits_7_to_9) {
  for (int row = 0; row < 256; ++row)
    for (int byte = 0; byte < 128; ++byte) {
      const auto plain = static_cast<std::uint32_t>(row * 128 + byte);
      ASSERT_EQ(swizzle_128(row, byte), plain ^ (plain >> 7 & 7U) << 4) << row << ", " << byte;
    }
  EXPECT_EQ(swizzle_128(0, 16), 16U);
  EXPECT_EQ(swizzle_128(1, 0), 128U + 16);
  EXPECT_EQ(swizzle_128(7, 112), 7U * 128);
  EXPECT_EQ(swizzle_128(8, 33), 1024U + 33);
}

TEST(Swizzle128, puts_eight_rows_at_one_chunk_into_eight_bank_groups) {
  for (int chunk = 0; chunk < 8; ++chunk) {
    std::set<std::uint32_t> groups;
    for (int row = 16; row < 24; ++row) groups.insert(swizzle_128(row, chunk * 16) / 16 % 8);
    EXPECT_EQ(groups.size(), 8U);
  }
}

TEST(Descriptor, packs_address_offsets_and_swizzle) {
  EXPECT_EQ(descriptor(0, 0, 0), 0x4000000000000000ULL);
  EXPECT_EQ(descriptor(0x400, 0, 1024), 0x4000004000000040ULL);
  EXPECT_EQ(descriptor(0x38c00, 8192, 1024), 0x40000040020038c0ULL);
  // The highest address that shared memory has does not reach the next field.
  EXPECT_EQ(descriptor(227 * 1024 - 16, 0, 0) & ~0x3fffULL, 0x4000000000000000ULL);
}

TEST(Descriptor, advances_its_address_only) {
  const std::uint64_t begin = descriptor(0x2000, 8192, 1024);
  EXPECT_EQ(advanced(begin, 32), descriptor(0x2020, 8192, 1024));
  EXPECT_EQ(advanced(begin, 96), descriptor(0x2060, 8192, 1024));
  EXPECT_EQ(advanced(begin, 2048), descriptor(0x2800, 8192, 1024));
}

TEST(Accumulator, gives_every_element_of_64_by_n_to_one_thread) {
  for (const int n : {64, 128, 256}) {
    std::set<std::pair<int, int>> seen;
    for (int thread = 0; thread < 128; ++thread)
      for (int index = 0; index < n / 2; ++index) {
        const int row = accumulator_row(thread, index);
        const int column = accumulator_column(thread, index);
        ASSERT_TRUE(row >= 0 && row < 64 && column >= 0 && column < n);
        seen.emplace(row, column);
      }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(64 * n));
  }
}

TEST(Accumulator, is_where_the_ptx_isa_draws_it) {
  const auto place = [](int thread, int index) {
    return std::pair(accumulator_row(thread, index), accumulator_column(thread, index));
  };
  EXPECT_EQ(place(0, 0), std::pair(0, 0));
  EXPECT_EQ(place(0, 1), std::pair(0, 1));
  EXPECT_EQ(place(0, 2), std::pair(8, 0));
  EXPECT_EQ(place(0, 4), std::pair(0, 8));
  EXPECT_EQ(place(3, 0), std::pair(0, 6));
  EXPECT_EQ(place(4, 0), std::pair(1, 0));
  EXPECT_EQ(place(31, 3), std::pair(15, 7));
  EXPECT_EQ(place(32, 0), std::pair(16, 0));
  EXPECT_EQ(place(127, 127), std::pair(63, 255));
}

TEST(BoxedMatrix, has_boxes_of_128_bytes_a_row) {
  const BoxedMatrix bf16{nullptr, 2, 100, 64, 128};
  EXPECT_EQ(bf16.box_columns(), 64);
  EXPECT_EQ(bf16.box_bytes(), 16384);
  EXPECT_EQ(bf16.pitch_bytes(), 128);
  const BoxedMatrix fp8{nullptr, 1, 100, 4096, 64};
  EXPECT_EQ(fp8.box_columns(), 128);
  EXPECT_EQ(fp8.box_bytes(), 8192);
  EXPECT_EQ(fp8.pitch_bytes(), 4096);
  EXPECT_EQ((BoxedMatrix{nullptr, 2, 1, 1 << 30, 64}.pitch_bytes()), std::int64_t{1} << 31);
}

TEST(BoxedMatrix, refuses_what_tma_cannot_take) {
  const BoxedMatrix good{nullptr, 2, 1, 8, 64};
  EXPECT_TRUE(can_be_boxed(good));
  const auto with = [&](auto change) {
    BoxedMatrix changed = good;
    change(changed);
    return can_be_boxed(changed);
  };
  EXPECT_FALSE(with([](BoxedMatrix& m) { m.columns = 12; }));  // 24 bytes a row
  EXPECT_FALSE(with([](BoxedMatrix& m) { m.columns = 0; }));
  EXPECT_FALSE(with([](BoxedMatrix& m) { m.rows = 0; }));
  EXPECT_FALSE(with([](BoxedMatrix& m) { m.box_rows = 257; }));
  EXPECT_FALSE(with([](BoxedMatrix& m) { m.box_rows = 0; }));
  EXPECT_FALSE(with([](BoxedMatrix& m) { m.element_bytes = 4; }));
  EXPECT_FALSE(with([](BoxedMatrix& m) { m.element_bytes = 1; }));  // 8 bytes a row
}

TEST(Operands, of_one_byte_are_given_with_b_transposed) {
  EXPECT_FALSE(b_is_transposed<Bf16>);
  EXPECT_FALSE(b_is_transposed<Fp16>);
  EXPECT_FALSE(b_is_transposed<float>);
  EXPECT_TRUE(b_is_transposed<E4m3>);
}

}  // namespace
