#include "kernels/support/uniform.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace {

using namespace gpugauge::kernels;

TEST(Uniform, bits_are_the_splitmix64_sequence_of_the_seed) {
  // The first two are the published test vector of SplitMix64 for the seed 1234567.
  EXPECT_EQ(random_bits(1234567, 0), 6457827717110365317ULL);
  EXPECT_EQ(random_bits(1234567, 1), 3203168211198807973ULL);
  EXPECT_EQ(random_bits(0, 0), 0xe220a8397b1dcdafULL);
}

TEST(Uniform, values_are_exact_multiples_of_two_to_the_minus_23) {
  EXPECT_EQ(uniform(0, 0), 6430888 * 0x1p-23F);
  EXPECT_EQ(uniform(0, 1), -1148770 * 0x1p-23F);
  EXPECT_EQ(uniform(1234567, 0), -2515248 * 0x1p-23F);
  EXPECT_EQ(uniform(42, std::uint64_t{1} << 33), -8048923 * 0x1p-23F);
}

TEST(Uniform, fills_minus_one_to_one_evenly) {
  constexpr int count = 1 << 16;
  double sum = 0;
  double squares = 0;
  std::array<int, 16> bins{};
  for (std::uint64_t i = 0; i < count; ++i) {
    const float value = uniform(7, i);
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    sum += value;
    squares += static_cast<double>(value) * value;
    ++bins[static_cast<std::size_t>((value + 1) * 8)];
  }
  EXPECT_NEAR(sum / count, 0, 0.01);                               // standard error .0023
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.005);                    // standard error .0012
  for (const int bin : bins) EXPECT_NEAR(bin, count / 16.0, 330);  // standard deviation 62
}

TEST(Bf16, rounds_to_nearest_with_ties_to_even) {
  EXPECT_EQ(to_bf16(1.0F).bits, 0x3f80);
  EXPECT_EQ(to_bf16(-2.5F).bits, 0xc020);
  EXPECT_EQ(to_bf16(1.0F + 0x1p-8F).bits, 0x3f80);             // halfway, 0x3f80 is even
  EXPECT_EQ(to_bf16(1.0F + 0x1p-7F + 0x1p-8F).bits, 0x3f82);   // halfway, 0x3f81 is odd
  EXPECT_EQ(to_bf16(1.0F + 0x1p-8F + 0x1p-20F).bits, 0x3f81);  // above halfway
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::infinity()).bits, 0x7f80);
  EXPECT_TRUE(std::isnan(to_float(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(
      std::isnan(to_float(to_bf16(float_of(0x7f800001U)))));  // its set bits lie in the half that is cut off
  EXPECT_EQ(to_float(Bf16{0x3f81}), 1.0F + 0x1p-7F);
}

TEST(Checksum, depends_on_every_bit_and_place_and_on_no_order) {
  std::array<std::uint32_t, 5> words{1, 2, 3, 4, 5};
  const std::uint64_t sum = checksum_on_host(words.data(), sizeof words);
  std::uint64_t backwards = 0;
  for (std::size_t i = words.size(); i-- > 0;) backwards += checksum_term(i, words[i]);
  EXPECT_EQ(sum, backwards);
  for (std::size_t word = 0; word < words.size(); ++word)
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      words[word] ^= 1U << bit;
      EXPECT_NE(checksum_on_host(words.data(), sizeof words), sum) << word << " " << bit;
      words[word] ^= 1U << bit;
    }
  std::swap(words[0], words[4]);
  EXPECT_NE(checksum_on_host(words.data(), sizeof words), sum);
}

TEST(Checksum, pads_the_last_word_with_zero_bytes) {
  const std::array<unsigned char, 8> bytes{1, 2, 3, 4, 5, 0, 0, 0};
  EXPECT_EQ(checksum_on_host(bytes.data(), 5), checksum_on_host(bytes.data(), 8));
  EXPECT_NE(checksum_on_host(bytes.data(), 4), checksum_on_host(bytes.data(), 5));
  EXPECT_EQ(checksum_on_host(bytes.data(), 0), 0U);
}

}  // namespace
