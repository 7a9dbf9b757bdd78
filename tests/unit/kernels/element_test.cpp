// Narrow types: every code against its definition, rounding against all codes.
#include "kernels/support/element.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/gemm/any_product.hpp"

namespace {

using namespace gpugauge::kernels;

template <int exponent_bits, int mantissa_bits>
void check_every_code(bool has_infinity) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint32_t codes = 1U << (exponent_bits + mantissa_bits);
  const std::uint32_t top = (1U << exponent_bits) - 1;
  for (std::uint32_t code = 0; code < codes; ++code) {
    const std::uint32_t exponent = code >> mantissa_bits;
    const std::uint32_t mantissa = code & ((1U << mantissa_bits) - 1);
    const bool nan = has_infinity ? exponent == top && mantissa != 0 : code == codes - 1;
    const float value = widened<exponent_bits, mantissa_bits>(code);
    if (nan) {
      EXPECT_TRUE(std::isnan(value)) << code;
      continue;
    }
    if (has_infinity && exponent == top) {
      EXPECT_TRUE(std::isinf(value)) << code;
      continue;
    }
    const double fraction = std::ldexp(static_cast<double>(mantissa), -mantissa_bits);
    const double wanted = exponent == 0 ? std::ldexp(fraction, 1 - bias)
                                        : std::ldexp(1 + fraction, static_cast<int>(exponent) - bias);
    EXPECT_EQ(static_cast<double>(value), wanted) << code;
    EXPECT_EQ((narrowed<exponent_bits, mantissa_bits>(value)), code);
    EXPECT_EQ((narrowed<exponent_bits, mantissa_bits>(-value)), code | codes) << code;
    EXPECT_EQ((widened<exponent_bits, mantissa_bits>(code | codes)), -value) << code;
  }
}

TEST(Element, gives_every_code_its_value_and_back) {
  check_every_code<5, 10>(true);
  check_every_code<4, 3>(false);
  check_every_code<5, 2>(true);
}

TEST(Element, knows_published_codes) {
  EXPECT_EQ((narrowed<5, 10>(1.0F)), 0x3c00U);
  EXPECT_EQ((narrowed<5, 10>(-2.0F)), 0xc000U);
  EXPECT_EQ((narrowed<5, 10>(65504.0F)), 0x7bffU);
  EXPECT_EQ((narrowed<5, 10>(1.0F / 3)), 0x3555U);
  EXPECT_EQ((narrowed<5, 10>(0x1p-24F)), 1U);
  EXPECT_EQ((narrowed<4, 3>(448.0F)), 0x7eU);
  EXPECT_EQ((narrowed<4, 3>(0x1p-9F)), 1U);
  EXPECT_EQ((narrowed<5, 2>(57344.0F)), 0x7bU);
  EXPECT_EQ((narrowed<5, 2>(0x1p-16F)), 1U);
}

TEST(Element, rounds_ties_to_even) {
  EXPECT_EQ((narrowed<5, 10>(1.0F + 0x1p-11F)), 0x3c00U);
  EXPECT_EQ((narrowed<5, 10>(1.0F + 3 * 0x1p-11F)), 0x3c02U);
  EXPECT_EQ((narrowed<5, 10>(0x1p-25F)), 0U);
  EXPECT_EQ((narrowed<5, 10>(3 * 0x1p-25F)), 2U);
  EXPECT_EQ((narrowed<4, 3>(1.0625F)), 0x38U);
  EXPECT_EQ((narrowed<4, 3>(1.1875F)), 0x3aU);
  EXPECT_EQ((narrowed<4, 3>(0x1p-10F)), 0U);
}

TEST(Element, makes_nan_of_what_is_too_large) {
  for (const float wrong :
       {65536.0F, 1e30F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(widened<5, 10>(narrowed<5, 10>(wrong)))) << wrong;
    EXPECT_TRUE(std::isnan(widened<4, 3>(narrowed<4, 3>(wrong)))) << wrong;
    EXPECT_TRUE(std::isnan(widened<5, 2>(narrowed<5, 2>(wrong)))) << wrong;
  }
}

TEST(Element, takes_the_nearest_fp8_of_all) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const float value = uniform(11, i);
    const double made = widened<4, 3>(narrowed<4, 3>(value));
    double nearest = 1e9;
    for (std::uint32_t code = 0; code < 256; ++code) {
      const double one = widened<4, 3>(code);
      if (std::abs(one - value) < std::abs(nearest - value)) nearest = one;
    }
    EXPECT_EQ(std::abs(made - value), std::abs(nearest - value)) << value;
  }
}

TEST(Element, fills_every_type_within_its_range) {
  for (const Element type : {Element::fp64, Element::fp32, Element::fp16, Element::bf16, Element::e4m3,
                             Element::e5m2, Element::int8}) {
    std::vector<unsigned char> data(1000 * size_of(type));
    double sum = 0;
    double least = 0;
    double most = 0;
    for (std::int64_t i = 0; i < 1000; ++i) {
      store_uniform(data.data(), type, i, 5);
      const double value = load(data.data(), type, i);
      sum += value;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    const double bound = type == Element::int8 ? 128 : 1;
    EXPECT_LT(least, -0.98 * bound) << name_of(type);
    EXPECT_GT(most, 0.98 * bound) << name_of(type);
    EXPECT_GE(least, -bound) << name_of(type);
    EXPECT_LE(most, bound) << name_of(type);
    EXPECT_LT(std::abs(sum / 1000), 0.06 * bound) << name_of(type);
  }
}

TEST(RelativeError, forgives_rounding_and_never_passes_nan) {
  EXPECT_EQ(relative_error(1.5, 1.5, 0, 1), 0);
  EXPECT_EQ(relative_error(1.0, 1.0 + 0x1p-9, 0x1p-8, 1), 0);
  EXPECT_DOUBLE_EQ(relative_error(3, 1, 0.5, 10), 0.15);
  EXPECT_TRUE(std::isinf(relative_error(std::numeric_limits<double>::quiet_NaN(), 1, 0, 1)));
  EXPECT_TRUE(std::isinf(relative_error(1, 0, 0, 0)));
  EXPECT_EQ(relative_error(0, 0, 0, 0), 0);
}

TEST(AnyProduct, reads_both_layouts_of_b) {
  const std::vector<float> a{1, 2, 3, 4, 5, 6};       // 2 x 3
  const std::vector<float> rows{1, 2, 3, 4, 5, 6};    // 3 x 2
  const std::vector<float> linear{1, 3, 5, 2, 4, 6};  // the same as 2 x 3
  const std::vector<float> c{22, 28, 49, 64};
  const gemm::Matrix left{a.data(), Element::fp32, 3, 1};
  const gemm::Matrix result{c.data(), Element::fp32, 2, 1};
  for (const auto& right :
       {gemm::Matrix{rows.data(), Element::fp32, 2, 1}, gemm::Matrix{linear.data(), Element::fp32, 1, 3}})
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        EXPECT_EQ(gemm::product_error(left, right, result, row, column, 3), 0);
}

TEST(AnyProduct, finds_a_wrong_element_in_its_own_scale) {
  const std::vector<std::int8_t> a{3, -4};
  const std::vector<std::int8_t> b{5, 6};
  std::vector<std::int32_t> exact{-9};
  const auto error = [&] {
    return gemm::product_error({a.data(), Element::int8, 2, 1}, {b.data(), Element::int8, 1, 1},
                               {exact.data(), Element::int32, 1, 1}, 0, 0, 2);
  };
  EXPECT_EQ(error(), 0);
  exact[0] = -8;
  EXPECT_EQ(error(), 1);
}

}  // namespace
