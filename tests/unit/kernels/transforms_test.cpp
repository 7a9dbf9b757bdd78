// The Fourier transforms that name their SMs, run on the host by the emulator.
#include <cmath>
#include <complex>
#include <vector>

#include <gtest/gtest.h>

#include "array.hpp"
#include "emulator.hpp"
#include "kernels/support/uniform.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/integrity/transforms.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using emulator::Array;
using Complex = std::complex<double>;

constexpr std::size_t points = integrity::transform_points;
constexpr std::size_t rows = 2;
constexpr std::uint64_t seed = 11;

struct Result {
  Array<float2> to{rows * points};
  std::vector<unsigned long long> sums = std::vector<unsigned long long>(rows, 0);
  std::vector<std::uint32_t> sms = std::vector<std::uint32_t>(rows, 0);
};

void transform(Result& result, int times) {
  const double turn = -2 * std::acos(-1.0) / static_cast<double>(points);
  const Array<float2> factors(points, [turn](std::size_t k) {
    const double angle = turn * static_cast<double>(k);
    return make_float2(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
  });
  emulator::launch(rows, integrity::transform_threads, [&] {
    integrity::transform_kernel(factors.get(), result.to.get(), times, seed, result.sums.data(),
                                result.sms.data(), [] { return 100 + blockIdx.x; });
  });
}

Complex given(std::size_t row, std::size_t i) {
  const std::uint64_t index = 2 * (row * points + i);
  return {uniform(seed, index), uniform(seed, index + 1)};
}

double relative_error(const Result& result, std::size_t row, const std::vector<Complex>& expected) {
  double error = 0;
  double norm = 0;
  for (std::size_t i = 0; i < points; ++i) {
    const float2 got = result.to[row * points + i];
    error += std::norm(Complex(got.x, got.y) - expected[i]);
    norm += std::norm(expected[i]);
  }
  return std::sqrt(error / norm);
}

TEST(Transforms, one_is_the_sum_over_all_points) {
  Result result;
  transform(result, 1);
  const double turn = -2 * std::acos(-1.0) / static_cast<double>(points);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<Complex> expected(points);
    for (std::size_t k = 0; k < points; ++k)
      for (std::size_t i = 0; i < points; ++i)
        expected[k] += given(row, i) * std::polar(1.0 / 32, turn * static_cast<double>(i * k % points));
    const double error = relative_error(result, row, expected);
    EXPECT_LE(error, integrity::transform_tolerance(1));
    EXPECT_GT(error, 1e-9) << "fp32 rounds";
    EXPECT_EQ(result.sms[row], 100U + row);
  }
}

TEST(Transforms, four_give_back_what_was_given_and_the_sums_are_those_of_the_words) {
  Result result;
  transform(result, 4);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<Complex> expected(points);
    for (std::size_t i = 0; i < points; ++i) expected[i] = given(row, i);
    EXPECT_LE(relative_error(result, row, expected), integrity::transform_tolerance(4));
    unsigned long long sum = 0;
    for (std::size_t i = row * points; i < (row + 1) * points; ++i) {
      sum += checksum_term(2 * i, bits_of(result.to[i].x));
      sum += checksum_term(2 * i + 1, bits_of(result.to[i].y));
    }
    EXPECT_EQ(result.sums[row], sum);
  }
}

TEST(Transforms, two_turn_the_points_around) {
  Result result;
  transform(result, 2);
  std::vector<Complex> expected(points);
  for (std::size_t i = 0; i < points; ++i) expected[i] = given(0, (points - i) % points);
  EXPECT_LE(relative_error(result, 0, expected), integrity::transform_tolerance(2));
}

TEST(Transforms, a_tolerance_would_see_one_wrong_point) {
  // A fault in one of 1024 points by its own size is 3% of the norm; the bound of the benchmark's 65 is
  // 0.02%.
  EXPECT_LT(integrity::transform_tolerance(65), 1.0 / 32 / 100);
}

}  // namespace
