// How kernels compare, run by the emulator: what is wrong is found, and only a comparison of everything is
// complete.
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "array.hpp"
#include "collectives.hpp"
#include "emulator.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/support/comparison.cuh"
#include "kernels/support/finite.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using gpugauge::kernels::Comparison;

constexpr std::size_t count = 1000;
constexpr unsigned threads = 64;

Comparison begun(std::size_t elements) {
  Comparison comparison;
  comparison.elements = elements;
  return comparison;
}

Comparison exactly(std::vector<int> values, unsigned blocks) {
  Comparison comparison = begun(values.size());
  const auto right = [&](std::size_t i) { return values[i] == 7; };
  emulator::launch(blocks, threads,
                   [&] { gpugauge::kernels::compare_kernel(values.size(), right, &comparison); });
  return comparison;
}

Comparison errors(const std::vector<double>& values) {
  Comparison comparison = begun(values.size());
  emulator::launch(1, threads, [&] {
    gpugauge::kernels::Tally tally;
    for (std::size_t i = threadIdx.x; i < values.size(); i += threads) tally.error(values[i]);
    tally.hand_in(&comparison);
  });
  return comparison;
}

TEST(Comparison, that_never_ran_is_not_complete) {
  EXPECT_FALSE(Comparison{}.complete());
  EXPECT_FALSE(begun(1).complete());
  EXPECT_FALSE(begun(0).complete()) << "nothing was to be compared: that proves nothing";
}

TEST(Comparison, comes_to_every_element_once) {
  for (const unsigned blocks : {1U, 3U, 40U}) {
    const Comparison all = exactly(std::vector<int>(count, 7), blocks);
    EXPECT_TRUE(all.complete()) << blocks;
    EXPECT_EQ(all.compared, count) << blocks;
    EXPECT_EQ(all.wrong, 0U) << blocks;
  }
}

TEST(Comparison, counts_every_wrong_element) {
  std::vector<int> values(count, 7);
  for (const std::size_t i : {std::size_t{0}, std::size_t{63}, std::size_t{64}, count - 1}) values[i] = 8;
  const Comparison some = exactly(values, 3);
  EXPECT_TRUE(some.complete());
  EXPECT_EQ(some.wrong, 4U);
}

TEST(Comparison, keeps_the_largest_error) {
  std::vector<double> values(count, 1e-9);
  EXPECT_EQ(errors(values).error, 1e-9);
  values[777] = 0.25;
  EXPECT_EQ(errors(values).error, 0.25);
  EXPECT_TRUE(errors(values).complete());
  EXPECT_EQ(errors(std::vector<double>(count, 0)).error, 0);
}

TEST(Comparison, takes_what_is_no_number_for_infinity) {
  for (const std::size_t place : {std::size_t{0}, std::size_t{500}, count - 1}) {
    std::vector<double> values(count, 0.5);
    values[place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(errors(values).error, HUGE_VAL) << place;
  }
}

template <typename T>
class Finite : public testing::Test {
 protected:
  // An array of poison of which every element but those of `left` was written.
  static Comparison found(T written, const std::vector<std::size_t>& left, T instead) {
    const emulator::Array<T> data(count, [&](std::size_t) { return written; });
    for (const std::size_t i : left) data[i] = instead;
    Comparison comparison = begun(count);
    emulator::launch(3, threads, [&] {
      gpugauge::kernels::compare_kernel(count, gpugauge::kernels::Finite<T>{data.get()}, &comparison);
    });
    return comparison;
  }
  static T of_bits(std::uint32_t bits) {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
  }
};

using FloatingPoint = testing::Types<float, gpugauge::kernels::Bf16, gpugauge::kernels::Fp16>;
TYPED_TEST_SUITE(Finite, FloatingPoint);

TYPED_TEST(Finite, counts_what_was_never_written) {
  const TypeParam poison = this->of_bits(0xffffffff);
  for (const std::uint32_t written : {0U, 0x3f803f80U, 0x3c003c00U, 0x80008000U}) {
    const TypeParam value = this->of_bits(written);
    EXPECT_TRUE(this->found(value, {}, poison).complete());
    EXPECT_EQ(this->found(value, {}, poison).wrong, 0U) << written;
    EXPECT_EQ(this->found(value, {0, 63, 64, count - 1}, poison).wrong, 4U) << written;
  }
}

TYPED_TEST(Finite, knows_infinity_and_the_largest_number) {
  const TypeParam one = this->of_bits(sizeof(TypeParam) == 4 ? 0x3f800000U : 0x3c00U);
  const std::uint32_t infinite = sizeof(TypeParam) == 4                               ? 0x7f800000U
                                 : std::is_same_v<TypeParam, gpugauge::kernels::Bf16> ? 0x7f80U
                                                                                      : 0x7c00U;
  const std::uint32_t sign = sizeof(TypeParam) == 4 ? 0x80000000U : 0x8000U;
  EXPECT_EQ(this->found(one, {5}, this->of_bits(infinite)).wrong, 1U);
  EXPECT_EQ(this->found(one, {5}, this->of_bits(infinite | sign)).wrong, 1U);
  EXPECT_EQ(this->found(one, {5}, this->of_bits(infinite - 1)).wrong, 0U);
  EXPECT_EQ(this->found(one, {5}, this->of_bits((infinite - 1) | sign)).wrong, 0U);
}

TEST(Comparison, half_of_which_was_run_is_not_complete) {
  Comparison comparison = begun(2 * count);
  emulator::launch(2, threads, [&] {
    gpugauge::kernels::compare_kernel(
        count, [](std::size_t) { return true; }, &comparison);
  });
  EXPECT_FALSE(comparison.complete());
  EXPECT_EQ(comparison.wrong, 0U);
}

}  // namespace
