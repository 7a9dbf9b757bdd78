#include "kernels/gemm/work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "gemm/shape.hpp"
#include "kernels/gemm/element_error.hpp"
#include "kernels/support/clock_stamp.hpp"
#include "kernels/support/small_float.hpp"
#include "kernels/support/uniform.hpp"

namespace {

using namespace gpugauge::kernels;
using gpugauge::bench::gemm::parse_shape;

TEST(Work, counts_two_operations_a_product_and_each_matrix_once) {
  EXPECT_EQ(gemm::flops(4096, 4096, 4096), 137438953472.0);
  EXPECT_EQ(gemm::flops(3, 5, 7), 210.0);
  EXPECT_EQ(gemm::bytes(3, 5, 7, 2, 4), 2 * (21 + 35) + 4 * 15);
}

TEST(Shape, reads_three_sizes_and_refuses_all_else) {
  const auto shape = parse_shape("16x4096x128");
  EXPECT_EQ(shape.m, 16);
  EXPECT_EQ(shape.n, 4096);
  EXPECT_EQ(shape.k, 128);
  for (const char* wrong :
       {"", "16", "16x16", "16x16x", "16x16x16x16", "0x1x1", "-1x1x1", "axbxc", "16x16x16 "})
    EXPECT_THROW(parse_shape(wrong), std::logic_error) << wrong;
}

TEST(ElementError, is_relative_to_the_norms_and_infinite_for_nan) {
  const std::array<float, 2> a{3, 4};
  const std::array<float, 2> b{0, 2};
  float c = 8;
  EXPECT_EQ(gemm::element_error(a.data(), b.data(), &c, 0, 0, 1, 2), 0);
  c = 9;
  EXPECT_DOUBLE_EQ(gemm::element_error(a.data(), b.data(), &c, 0, 0, 1, 2), 1.0 / (5 * 2));
  c = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(gemm::element_error(a.data(), b.data(), &c, 0, 0, 1, 2), std::numeric_limits<double>::infinity());
  c = std::numeric_limits<float>::infinity();
  EXPECT_EQ(gemm::element_error(a.data(), b.data(), &c, 0, 0, 1, 2), std::numeric_limits<double>::infinity());
}

TEST(ElementError, takes_an_fp8_b_as_its_transpose) {
  const std::array<E4m3, 2> a{to_e4m3(1), to_e4m3(2)};
  const std::array<E4m3, 4> b_transposed{to_e4m3(3), to_e4m3(4), to_e4m3(5), to_e4m3(6)};
  const std::array<float, 2> c{11, 17};
  EXPECT_EQ(gemm::element_error(a.data(), b_transposed.data(), c.data(), 0, 0, 2, 2), 0);
  EXPECT_EQ(gemm::element_error(a.data(), b_transposed.data(), c.data(), 0, 1, 2, 2), 0);
}

TEST(ElementError, forgives_a_bf16_result_its_rounding_only) {
  const std::array<float, 1> a{1};
  const std::array<float, 1> b{1.0F + 0x1p-8F};
  Bf16 c{0x3f80};  // 1: half a unit in the last place below
  EXPECT_EQ(gemm::element_error(a.data(), b.data(), &c, 0, 0, 1, 1), 0);
  c = Bf16{0x3f82};  // one and a half above
  EXPECT_GT(gemm::element_error(a.data(), b.data(), &c, 0, 0, 1, 1), 0.005);
}

float cut_to_tf32(float value) {
  return float_of(bits_of(value) & 0xffffe000U);
}

// The tolerance must let an honest chain of fp32 FMAs pass and catch inputs that were silently cut to tf32.
TEST(Tolerance, tells_fp32_from_tf32) {
  for (const std::int64_t k : {64, 1024, 8192}) {
    double fp32 = 0;
    double tf32 = 0;
    for (std::uint64_t element = 0; element < 64; ++element) {
      std::vector<float> a;
      std::vector<float> b;
      float honest = 0;
      float cut = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        a.push_back(uniform(2 * element, static_cast<std::uint64_t>(i)));
        b.push_back(uniform(2 * element + 1, static_cast<std::uint64_t>(i)));
        honest = std::fmaf(a.back(), b.back(), honest);
        cut = std::fmaf(cut_to_tf32(a.back()), cut_to_tf32(b.back()), cut);
      }
      fp32 = std::fmax(fp32, gemm::element_error(a.data(), b.data(), &honest, 0, 0, 1, k));
      tf32 = std::fmax(tf32, gemm::element_error(a.data(), b.data(), &cut, 0, 0, 1, k));
    }
    EXPECT_LT(fp32, gemm::tolerance_fp32_fma() / 4) << k;
    EXPECT_GT(tf32, gemm::tolerance_fp32_fma() * 4) << k;
  }
}

// Tensor Cores cut partial sums off: emulate groups of 8 exact products added with truncation to 24 bits,
// toward zero.
TEST(Tolerance, lets_truncating_accumulation_pass_and_catches_a_lost_step) {
  for (const std::int64_t k : {64, 4096}) {
    double cut = 0;
    double lost = 0;
    for (std::uint64_t element = 0; element < 64; ++element) {
      std::vector<float> a;
      std::vector<float> b;
      float sum = 0;
      float short_sum = 0;
      for (std::int64_t i = 0; i < k; i += 8) {
        double group = 0;
        for (std::int64_t j = i; j < i + 8; ++j) {
          a.push_back(to_float(uniform_bf16(2 * element, static_cast<std::uint64_t>(j))));
          b.push_back(to_float(uniform_bf16(2 * element + 1, static_cast<std::uint64_t>(j))));
          group += static_cast<double>(a.back()) * b.back();
        }
        const auto add = [](float to, double value) {
          const double exact = to + value;
          const auto rounded = static_cast<float>(exact);
          return std::fabs(rounded) > std::fabs(exact) ? std::nextafterf(rounded, 0) : rounded;
        };
        sum = add(sum, group);
        if (i >= 16) short_sum = add(short_sum, group);
      }
      cut = std::fmax(cut, gemm::element_error(a.data(), b.data(), &sum, 0, 0, 1, k));
      lost = std::fmax(lost, gemm::element_error(a.data(), b.data(), &short_sum, 0, 0, 1, k));
    }
    EXPECT_LT(cut, gemm::tolerance_bf16_mma(k) / 4) << k;
    EXPECT_GT(lost, gemm::tolerance_bf16_mma(k) * 10) << k;
  }
}

// Hopper's fp8 sums: 32 products and the sum so far are aligned to the largest and cut off 13 bits below it.
TEST(Tolerance, lets_fp8_sums_of_14_bits_pass_and_catches_a_lost_step) {
  const auto add = [](float to, const std::vector<double>& products) {
    double largest = std::fabs(to);
    for (const double product : products) largest = std::fmax(largest, std::fabs(product));
    if (largest == 0) return to;
    const double unit = std::ldexp(1.0, std::ilogb(largest) - 13);
    double sum = std::trunc(to / unit) * unit;
    for (const double product : products) sum += std::trunc(product / unit) * unit;
    return static_cast<float>(sum);
  };
  for (const std::int64_t k : {16, 32, 64, 512, 4096, 16384}) {
    double cut = 0;
    double lost = 0;
    for (std::uint64_t element = 0; element < 200; ++element) {
      std::vector<E4m3> a;
      std::vector<E4m3> b;
      float sum = 0;
      float short_sum = 0;
      for (std::int64_t i = 0; i < k; i += 32) {
        std::vector<double> products;
        for (std::int64_t j = i; j < std::min(k, i + 32); ++j) {
          a.push_back(to_e4m3(uniform(2 * element, static_cast<std::uint64_t>(j))));
          b.push_back(to_e4m3(uniform(2 * element + 1, static_cast<std::uint64_t>(j))));
          products.push_back(static_cast<double>(to_float(a.back())) * to_float(b.back()));
        }
        sum = add(sum, products);
        if (i >= 32) short_sum = add(short_sum, products);
      }
      cut = std::fmax(cut, gemm::element_error(a.data(), b.data(), &sum, 0, 0, 1, k));
      lost = std::fmax(lost, gemm::element_error(a.data(), b.data(), &short_sum, 0, 0, 1, k));
    }
    EXPECT_LT(cut, gemm::tolerance_fp8_wgmma(k) / 2) << k;
    if (k <= 4096) {
      EXPECT_GT(lost, gemm::tolerance_fp8_wgmma(k)) << k;
    }
  }
}

TEST(SmClock, is_the_median_of_the_sms_that_were_stamped_twice) {
  std::vector<ClockStamp> begin(stamp_slots);
  std::vector<ClockStamp> end(stamp_slots);
  EXPECT_EQ(sm_clock_hz(begin.data(), end.data(), 0), 0);
  const auto stamp = [&](std::size_t sm, std::uint64_t nanoseconds, std::uint64_t cycles) {
    begin[sm] = {1000, 50, 7};
    end[sm] = {1000 + nanoseconds, 50 + cycles, 7};
  };
  stamp(0, 1'000'000, 1'700'000);
  stamp(3, 1'000'000, 1'710'000);
  stamp(9, 1'000'000, 1'500'000);
  EXPECT_DOUBLE_EQ(sm_clock_hz(begin.data(), end.data(), 7), 1.7e9);
  end[0].generation = 6;  // stamped in an earlier interval only
  end[9].nanoseconds = 0;
  EXPECT_DOUBLE_EQ(sm_clock_hz(begin.data(), end.data(), 7), 1.71e9);
  EXPECT_EQ(sm_clock_hz(begin.data(), end.data(), 8), 0);
}

}  // namespace
