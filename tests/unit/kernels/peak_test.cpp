#include <cmath>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "kernels/peak/expected_chain.hpp"
#include "kernels/peak/mma.hpp"
#include "kernels/peak/wgmma.hpp"

namespace {

using namespace gpugauge::kernels::peak;
using gpugauge::kernels::float_of;

constexpr Element elements[] = {Element::fp64, Element::tf32,     Element::fp16,
                                Element::bf16, Element::fp8_e4m3, Element::int8};

TEST(PeakOperands, encode_gives_the_bits_of_each_type) {
  EXPECT_EQ(encode(Element::bf16, 1), 0x3f80U);
  EXPECT_EQ(encode(Element::bf16, -3), 0xc040U);
  EXPECT_EQ(encode(Element::fp16, 1), 0x3c00U);
  EXPECT_EQ(encode(Element::fp16, -126), 0xd7e0U);
  EXPECT_EQ(encode(Element::fp8_e4m3, 1), 0x38U);
  EXPECT_EQ(encode(Element::fp8_e4m3, 8), 0x50U);
  EXPECT_EQ(encode(Element::fp8_e4m3, -7), 0xceU);
  EXPECT_EQ(encode(Element::int8, -127), 0x81U);
  for (int value = -127; value <= 127; ++value) {
    EXPECT_EQ(float_of(encode(Element::tf32, value)), static_cast<float>(value));
    EXPECT_EQ(float_of(encode(Element::bf16, value) << 16), static_cast<float>(value));
  }
  for (const Element element : elements) EXPECT_EQ(encode(element, 0), 0U);
}

// The identity that operands.hpp rests on, step by step, with every bound that makes it exact.
TEST(PeakOperands, pairs_of_steps_give_the_expected_sum_and_stay_exact) {
  for (const Element element : elements) {
    const int depth = element == Element::fp64 ? 16 : 256 / element_bits(element);
    const int limit = element == Element::fp8_e4m3 ? 1 << 12 : 1 << 24;
    const int pairs = 5;
    int largest = 0;
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < 256; column += element == Element::bf16 ? 1 : 37) {
        int sum = 0;
        for (int step = 0; step <= 2 * pairs; ++step)
          for (int k = 0; k < depth; ++k)
            sum += element_a(element, row, k) * element_b(element, k, column, step % 2 == 1);
        EXPECT_EQ(sum, expected_sum(element, row, column, depth, pairs));
        largest = std::max(largest, std::abs(expected_sum(element, row, column, depth, 0)));
      }
    EXPECT_LT(largest + most_pairs(element), limit) << static_cast<int>(element);
    for (int k = 0; k < depth; ++k)
      for (int column = 0; column < 64; ++column)
        for (const bool second : {false, true})
          EXPECT_LE(std::abs(element_b(element, k, column, second)), amplitude(element) + 1);
  }
  // Held by each type: whole numbers with as many bits as its significand, and of int8 up to 127.
  static_assert(amplitude(Element::fp8_e4m3) + 1 <= 16 && amplitude(Element::bf16) + 1 <= 127);
}

TEST(PeakOperands, a_word_tells_a_lost_step_and_another_thread) {
  std::set<std::uint32_t> words;
  for (int thread = 0; thread < 128; ++thread) words.insert(expected_wgmma_word(Element::bf16, thread, 8));
  EXPECT_EQ(words.size(), 128U);
  for (const Element element : elements) {
    EXPECT_NE(expected_mma_word(element, false, 3, 8), expected_mma_word(element, false, 3, 16));
    EXPECT_NE(expected_mma_word(element, false, 3, 8), expected_mma_word(element, false, 4, 8));
  }
}

// fp16 on 7.5: two instructions of half the depth, on the registers of the whole one. Those of int8, and what both
// compute: emulated_peak_test.cpp.
TEST(PeakOperands, the_halves_of_fp16_add_up_to_the_whole) {
  const int depth = mma_shape(Element::fp16).depth;
  const auto product = [](int row, int column, int from, int to) {
    int sum = 0;
    for (int k = from; k < to; ++k)
      sum += element_a(Element::fp16, row, k) * element_b(Element::fp16, k, column, false);
    return sum;
  };
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 64; ++column)
      EXPECT_EQ(product(row, column, 0, depth / 2) + product(row, column, depth / 2, depth),
                expected_sum(Element::fp16, row, column, depth, 0));
  // Register i of A, element e, as Fragments::make has it: the first two hold the lower half of k.
  for (int q = 0; q < 4; ++q)
    for (int i = 0; i < 4; ++i)
      for (int e = 0; e < 2; ++e) {
        const int k = (q + i / 2 * 4) * 2 + e;
        EXPECT_EQ(k / (depth / 2), i / 2);
        EXPECT_EQ(k % (depth / 2), 2 * q + e) << "where m16n8k8 takes it";
      }
  EXPECT_EQ(least_compute_capability(Element::fp16), 75);
  EXPECT_EQ(least_compute_capability(Element::int8), 75);
  EXPECT_EQ(least_compute_capability(Element::bf16), 80);
  EXPECT_EQ(least_compute_capability(Element::fp8_e4m3), 89);
  EXPECT_EQ(least_compute_capability(Element::fp64, true), 90);
}

TEST(PeakWork, counts_two_operations_a_product) {
  EXPECT_EQ(mma_shape(Element::bf16).depth, 16);
  EXPECT_EQ(mma_shape(Element::int8).depth, 32);
  EXPECT_EQ(mma_shape(Element::tf32).depth, 8);
  EXPECT_EQ(mma_flops(Element::bf16, false, 1, 8), 2.0 * 16 * 8 * 16 * 17 * 8 * 8);
  EXPECT_EQ(mma_flops(Element::fp64, false, 1, 8), 2.0 * 8 * 8 * 4 * 17 * 8 * 8);
  EXPECT_EQ(wgmma_flops(Element::fp8_e4m3, 3, 8), 2.0 * 64 * 256 * 32 * 17 * wgmma_rounds * 3 * 2);
  EXPECT_EQ(chain_operations(Chain::fp32, 2, 32), 2.0 * 8 * 32 * 2 * 256);
  EXPECT_EQ(chain_operations(Chain::dp4a, 1, 32), 8.0 * 8 * 32 * 256);
}

TEST(PeakChains, fp16_is_rounded_to_nearest_even) {
  EXPECT_EQ(rounded_to_fp16(1 + 0x1p-11), 1);
  EXPECT_EQ(rounded_to_fp16(1 + 0x3p-11), 1 + 0x1p-9);
  EXPECT_EQ(rounded_to_fp16(-1 - 0x1.8p-11), -1 - 0x1p-10);
  EXPECT_EQ(rounded_to_fp16(0x1p-24), 0x1p-24);
  EXPECT_EQ(rounded_to_fp16(0x1p-26), 0);
  EXPECT_EQ(fp16_bits(1), 0x3c00U);
  EXPECT_EQ(fp16_bits(-1.5), 0xbe00U);
  EXPECT_EQ(fp16_bits(0x1p-24), 1U);
}

TEST(PeakChains, dot_products_of_signed_bytes_wrap_around) {
  EXPECT_EQ(dot_step(0x01020304U, 0x01010101U), 0x01020304U + 10);
  EXPECT_EQ(dot_step(0xffU, 0x7fU), 0xffU - 127);
  EXPECT_EQ(dot_step(0x80000000U, 0x80U << 24), 0x80000000U + 16384);
}

TEST(PeakChains, floating_point_chains_stay_bounded_and_do_not_settle) {
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_LE(chain_offset(lane), -1.8F);
    EXPECT_GE(chain_offset(lane), -1.93F);
    for (int index = 0; index < 2 * chains; ++index) {
      EXPECT_EQ(rounded_to_fp16(chain_start(lane, index)), chain_start(lane, index));
      EXPECT_EQ(rounded_to_fp16(chain_offset(lane)), chain_offset(lane));
      float x = chain_start(lane, index);
      std::set<float> seen;
      for (int step = 0; step < 1000; ++step) {
        x = std::fma(x, x, chain_offset(lane));
        ASSERT_LE(std::fabs(x), 2.0F);
        seen.insert(x);
      }
      EXPECT_GT(seen.size(), 100U) << lane << ' ' << index;
    }
  }
}

TEST(PeakChains, a_word_tells_one_step_more) {
  for (const Chain chain : {Chain::fp64, Chain::fp32, Chain::fp16x2, Chain::int32, Chain::dp4a})
    for (int lane = 0; lane < 32; lane += 5)
      EXPECT_NE(expected_chain_word(chain, lane, 64), expected_chain_word(chain, lane, 65));
}

}  // namespace
