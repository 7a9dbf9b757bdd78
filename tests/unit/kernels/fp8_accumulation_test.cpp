// How sums of fp8 products were added shows in the error: Hopper's Tensor Core on the host.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cublas/problem.hpp"
#include "kernels/gemm/any_product.hpp"
#include "kernels/support/bf16.hpp"

namespace {

using namespace gpugauge;
using bench::cublas::accumulation_of;
using kernels::Element;

constexpr std::int64_t step = 32;

// One step: all addends are aligned to the largest and cut off 13 bits below its leading one.
double added(double sum, const std::vector<double>& products) {
  double largest = std::fabs(sum);
  for (const double product : products) largest = std::max(largest, std::fabs(product));
  if (largest == 0) return 0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  const double unit = std::ldexp(1.0, exponent - 1 - 13);
  double out = std::trunc(sum / unit);
  for (const double product : products) out += std::trunc(product / unit);
  return out * unit;
}

std::vector<std::uint8_t> filled(Element type, std::int64_t count, std::uint64_t seed) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) kernels::store_uniform(out.data(), type, i, seed);
  return out;
}

// The largest error over rows x columns elements whose sums are added in fp32 after every `stretch` products.
double largest_error(Element type_of_a, std::int64_t k, std::int64_t stretch, std::int64_t rows,
                     std::int64_t columns) {
  const std::vector<std::uint8_t> a = filled(type_of_a, rows * k, 1);
  const std::vector<std::uint8_t> b = filled(Element::e4m3, columns * k, 2);
  const kernels::gemm::Matrix matrix_a{a.data(), type_of_a, k, 1};
  const kernels::gemm::Matrix matrix_b{b.data(), Element::e4m3, 1, k};
  std::vector<double> products(step);
  double largest = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      float all = 0;
      double sum = 0;
      for (std::int64_t i = 0; i < k; i += step) {
        for (std::int64_t j = 0; j < step; ++j)
          products[static_cast<std::size_t>(j)] = matrix_a.at(row, i + j) * matrix_b.at(i + j, column);
        sum = added(sum, products);
        if ((i + step) % stretch != 0) continue;
        all += static_cast<float>(sum);
        sum = 0;
      }
      const kernels::Bf16 c = kernels::to_bf16(all);
      largest = std::max(largest, kernels::gemm::product_error(matrix_a, matrix_b, {&c, Element::bf16, 0, 0},
                                                               row, column, k));
    }
  return largest;
}

TEST(Fp8Accumulation, is_told_by_the_error) {
  for (const Element type : {Element::e4m3, Element::e5m2})
    for (const std::int64_t k : {1024, 4096}) {
      EXPECT_STREQ(accumulation_of(largest_error(type, k, 128, 32, 128), k), "precise") << k;
      EXPECT_STREQ(accumulation_of(largest_error(type, k, k, 32, 128), k), "fast") << k;
    }
}

// cuBLASLt 13 on an H100: without fast accumulation, and with it, which is the hand-written product's error.
TEST(Fp8Accumulation, of_an_h100_is_what_was_asked_for) {
  EXPECT_STREQ(accumulation_of(4.177097660686876e-6, 8192), "precise");
  EXPECT_STREQ(accumulation_of(2.3218206565536238e-4, 8192), "fast");
  EXPECT_STREQ(accumulation_of(1.4826625149283798e-4, 4096), "fast");
}

TEST(Fp8Accumulation, is_not_told_of_short_sums) {
  EXPECT_STREQ(accumulation_of(1e-3, kernels::gemm::fp8_tells_from - 1), "");
  EXPECT_STREQ(accumulation_of(0, 128), "");
  EXPECT_STREQ(accumulation_of(0, kernels::gemm::fp8_tells_from), "precise");
  EXPECT_STREQ(accumulation_of(kernels::gemm::fp8_longest_stretches(), 8192), "precise");
}

TEST(Fp8Accumulation, is_that_of_fp8_alone) {
  using namespace bench::cublas;
  for (const Arithmetic& one : {e4m3, e4m3_fast, e5m2_e4m3}) EXPECT_TRUE(is_fp8(one)) << one.name;
  for (const Arithmetic& other : {fp64, fp32, tf32, fp16, bf16, int8})
    EXPECT_FALSE(is_fp8(other)) << other.name;
}

}  // namespace
