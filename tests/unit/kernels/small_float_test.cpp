#include "kernels/support/small_float.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace {

using namespace gpugauge::kernels;

TEST(Fp16, has_the_values_of_ieee_754) {
  EXPECT_EQ(to_float(Fp16{0x3c00}), 1.0F);
  EXPECT_EQ(to_float(Fp16{0xc000}), -2.0F);
  EXPECT_EQ(to_float(Fp16{0x7bff}), 65504.0F);
  EXPECT_EQ(to_float(Fp16{0x0001}), 0x1p-24F);
  EXPECT_EQ(to_float(Fp16{0x03ff}), 1023 * 0x1p-24F);
  EXPECT_EQ(to_float(Fp16{0x0400}), 0x1p-14F);
  EXPECT_EQ(to_float(Fp16{0xfc00}), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(to_float(Fp16{0xffff})));
  EXPECT_TRUE(std::signbit(to_float(Fp16{0x8000})));
}

TEST(E4m3, has_the_values_of_the_format) {
  EXPECT_EQ(to_float(E4m3{0x38}), 1.0F);
  EXPECT_EQ(to_float(E4m3{0xb8}), -1.0F);
  EXPECT_EQ(to_float(E4m3{0x7e}), 448.0F);
  EXPECT_EQ(to_float(E4m3{0x01}), 0x1p-9F);
  EXPECT_EQ(to_float(E4m3{0x07}), 7 * 0x1p-9F);
  EXPECT_EQ(to_float(E4m3{0x08}), 0x1p-6F);
  EXPECT_TRUE(std::isnan(to_float(E4m3{0x7f})));
  EXPECT_TRUE(std::isnan(to_float(E4m3{0xff})));
}

// Every value survives; the middle between two neighbours goes to the even one, what is beyond it to the
// nearer.
template <typename T, typename Round>
void expect_nearest(std::uint32_t codes, Round round) {
  for (std::uint32_t code = 0; code + 1 < codes; ++code) {
    const auto of = [](std::uint32_t bits) { return T{static_cast<decltype(T::bits)>(bits)}; };
    const float low = to_float(of(code));
    const float high = to_float(of(code + 1));
    const float middle = (low + high) / 2;
    ASSERT_EQ(round(low).bits, code);
    ASSERT_EQ(round(middle).bits, code % 2 == 0 ? code : code + 1) << code;
    ASSERT_EQ(round(std::nextafterf(middle, 0.0F)).bits, code) << code;
    ASSERT_EQ(round(std::nextafterf(middle, 1e9F)).bits, code + 1) << code;
    ASSERT_EQ(to_float(round(-high)), -high);
  }
}

TEST(Fp16, rounds_to_the_nearest_and_ties_to_even) {
  expect_nearest<Fp16>(0x7c00, [](float value) { return to_fp16(value); });
  EXPECT_EQ(to_fp16(65519.996F).bits, 0x7bff);
  EXPECT_EQ(to_fp16(65520.0F).bits, 0x7c00);
  EXPECT_EQ(to_fp16(-1e30F).bits, 0xfc00);
  EXPECT_EQ(to_fp16(std::numeric_limits<float>::infinity()).bits, 0x7c00);
  EXPECT_TRUE(std::isnan(to_float(to_fp16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(E4m3, rounds_to_the_nearest_and_ties_to_even) {
  expect_nearest<E4m3>(0x7f, [](float value) { return to_e4m3(value); });
  EXPECT_EQ(to_e4m3(464.0F).bits, 0x7e);  // the middle between 448 and 480, which does not exist
  EXPECT_EQ(to_e4m3(465.0F).bits, 0x7f);
  EXPECT_EQ(to_e4m3(-1e30F).bits, 0xff);
  EXPECT_EQ(to_e4m3(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_TRUE(std::isnan(to_float(to_e4m3(std::numeric_limits<float>::infinity()))));
}

}  // namespace
