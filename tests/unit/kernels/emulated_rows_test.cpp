// The device code of softmax, layer norm and RMS norm, run on the host against fp64.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "array.hpp"
#include "collectives.hpp"
#include "emulator.hpp"
#include "kernels/support/uniform.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "kernels/primitive/rows.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using emulator::Array;

constexpr int rows = 2;
constexpr float epsilon = 1e-5F;

struct Case {
  int columns;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.columns << " columns";
}

class Rows : public testing::TestWithParam<Case> {
 protected:
  std::size_t columns() const { return static_cast<std::size_t>(GetParam().columns); }
  double x(std::size_t row, std::size_t column) const {
    return static_cast<double>(from[row * columns() + column]);
  }
  // Wide rows where they are possible, as the launch wrapper chooses.
  template <typename Operation>
  void run(Operation operation) {
    const int count = GetParam().columns;
    if (count % 4 == 0 && count > 2048)
      emulator::launch(rows, 512,
                       [&] { primitive::rows_kernel<512, 4, 8>(from.get(), to.get(), count, operation); });
    else if (count % 4 == 0 && count <= 1024)
      emulator::launch(rows, 128,
                       [&] { primitive::rows_kernel<128, 4, 2>(from.get(), to.get(), count, operation); });
    else if (count % 4 == 0)
      emulator::launch(rows, 128,
                       [&] { primitive::rows_kernel<128, 4, 4>(from.get(), to.get(), count, operation); });
    else
      emulator::launch(rows, 1024,
                       [&] { primitive::rows_kernel<1024, 1, 16>(from.get(), to.get(), count, operation); });
  }
  double sum(std::size_t row, double (*term)(double, double), double with) const {
    double total = 0;
    for (std::size_t c = 0; c < columns(); ++c) total += term(x(row, c), with);
    return total;
  }
  template <typename Expected>
  void expect(double tolerance, Expected expected) const {
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t c = 0; c < columns(); ++c) {
        const double wanted = expected(row, c);
        ASSERT_NEAR(static_cast<double>(to[row * columns() + c]), wanted, tolerance * (1 + std::fabs(wanted)))
            << row << ", " << c;
      }
  }

  Array<float> from{rows * columns(), [](std::size_t i) { return uniform(3, i); }};
  Array<float> gain{columns(), [](std::size_t i) { return uniform(4, i); }};
  Array<float> bias{columns(), [](std::size_t i) { return uniform(5, i); }};
  Array<float> to{rows * columns()};
};

TEST_P(Rows, softmax_equals_fp64_and_its_rows_sum_to_one) {
  run(primitive::Softmax{});
  for (std::size_t row = 0; row < rows; ++row) {
    const double all = sum(
        row, [](double value, double) { return std::exp(value); }, 0);
    double total = 0;
    for (std::size_t c = 0; c < columns(); ++c) {
      const double wanted = std::exp(x(row, c)) / all;
      const auto found = static_cast<double>(to[row * columns() + c]);
      ASSERT_NEAR(found, wanted, primitive::softmax_tolerance * wanted) << row << ", " << c;
      total += found;
    }
    EXPECT_NEAR(total, 1, 1e-5);
  }
}

TEST_P(Rows, softmax_of_large_values_does_not_overflow) {
  for (std::size_t i = 0; i < from.count(); ++i) from[i] = 1000 + uniform(3, i);
  run(primitive::Softmax{});
  double total = 0;
  for (std::size_t c = 0; c < columns(); ++c) total += static_cast<double>(to[c]);
  EXPECT_NEAR(total, 1, 1e-5);
}

TEST_P(Rows, layer_norm_equals_fp64) {
  run(primitive::LayerNorm{gain.get(), bias.get(), epsilon});
  const auto count = static_cast<double>(columns());
  // A row of one or three values may have nearly no variance, and magnifies roundings by up to
  // 1/sqrt(epsilon).
  const double tolerance = columns() < 16 ? 1e-3 : primitive::norm_tolerance;
  expect(tolerance, [&](std::size_t row, std::size_t c) {
    const double mean = sum(
                            row, [](double value, double) { return value; }, 0) /
                        count;
    const double variance =
        sum(
            row, [](double value, double with) { return (value - with) * (value - with); }, mean) /
        count;
    return (x(row, c) - mean) / std::sqrt(variance + static_cast<double>(epsilon)) *
               static_cast<double>(gain[c]) +
           static_cast<double>(bias[c]);
  });
}

TEST_P(Rows, rms_norm_equals_fp64) {
  run(primitive::RmsNorm{gain.get(), epsilon});
  const auto count = static_cast<double>(columns());
  expect(primitive::norm_tolerance, [&](std::size_t row, std::size_t c) {
    const double squares = sum(
                               row, [](double value, double) { return value * value; }, 0) /
                           count;
    return x(row, c) / std::sqrt(squares + static_cast<double>(epsilon)) * static_cast<double>(gain[c]);
  });
}

INSTANTIATE_TEST_SUITE_P(Columns, Rows,
                         testing::Values(Case{1}, Case{3}, Case{4}, Case{500}, Case{512}, Case{2048},
                                         Case{1025}, Case{2047}, Case{4100}, Case{16384}));

TEST(RowsNaN, in_one_place_poisons_its_row_alone) {
  constexpr std::size_t count = 128;  // two rows
  Array<float> from(count, [](std::size_t i) { return uniform(3, i); });
  const Array<float> to(count);
  from[17] = std::nanf("");
  emulator::launch(
      2, 128, [&] { primitive::rows_kernel<128, 4, 4>(from.get(), to.get(), 64, primitive::Softmax{}); });
  for (std::size_t c = 0; c < 64; ++c) {
    EXPECT_TRUE(std::isnan(to[c])) << c;
    EXPECT_FALSE(std::isnan(to[64 + c])) << c;
  }
}

TEST(CheckedRow, spreads_samples_from_the_first_to_the_last_row) {
  EXPECT_EQ(primitive::checked_row(0, 1, 100), 0);
  EXPECT_EQ(primitive::checked_row(0, 4, 100), 0);
  EXPECT_EQ(primitive::checked_row(1, 4, 100), 33);
  EXPECT_EQ(primitive::checked_row(3, 4, 100), 99);
  EXPECT_EQ(primitive::checked_row(1023, 1024, 262144), 262143);
}

}  // namespace
