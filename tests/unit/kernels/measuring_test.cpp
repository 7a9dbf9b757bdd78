// The parts of bench/support/cuda that are plain arithmetic.
#include <sstream>

#include <gtest/gtest.h>

#include "support/cuda/fit.hpp"
#include "support/cuda/mapped.hpp"
#include "support/cuda/rotation.hpp"

namespace {

using namespace gpugauge::bench::cuda;

TEST(RotationSets, hold_three_times_the_l2_together) {
  constexpr std::size_t mebibyte = 1 << 20;
  EXPECT_EQ(rotation_sets(96 * mebibyte, 50 * mebibyte), 2U);
  EXPECT_EQ(rotation_sets(150 * mebibyte, 50 * mebibyte), 1U);
  EXPECT_EQ(rotation_sets(150 * mebibyte - 1, 50 * mebibyte), 2U);
  EXPECT_EQ(rotation_sets(mebibyte, 50 * mebibyte), 150U);
  EXPECT_EQ(rotation_sets(mebibyte, 0), 1U);
}

TEST(Rotation, gives_sets_in_turn) {
  Rotation<int> rotation(3, 7);
  EXPECT_EQ(rotation.size(), 3U);
  EXPECT_EQ(rotation[0], 7);
  EXPECT_EQ(&rotation[0], &rotation[3]);
  EXPECT_NE(&rotation[0], &rotation[1]);
}

TEST(FitLine, finds_an_exact_line) {
  const Line line = fit_line({1, 4, 16, 64}, {2.5, 7, 25, 97});
  EXPECT_NEAR(line.fixed, 1, 1e-12);
  EXPECT_NEAR(line.slope, 1.5, 1e-12);
  EXPECT_NEAR(line.largest_residual, 0, 1e-12);
}

// Weights 1, 1/4 and 1/16: the normal equations, solved in fractions by hand. Unweighted it would be 5/6 and
// 3/4.
TEST(FitLine, minimises_relative_errors) {
  const Line line = fit_line({0, 2, 4}, {1, 2, 4});
  EXPECT_NEAR(line.fixed, 32.0 / 33, 1e-12);
  EXPECT_NEAR(line.slope, 7.0 / 11, 1e-12);
  EXPECT_NEAR(line.largest_residual, 4.0 / 33, 1e-12);
}

TEST(FitLine, refuses_what_has_no_line) {
  EXPECT_THROW(fit_line({1, 1}, {2, 3}), std::invalid_argument);
  EXPECT_THROW(fit_line({1, 2}, {2, 0}), std::invalid_argument);
  EXPECT_THROW(fit_line({1, 2}, {2}), std::invalid_argument);
  EXPECT_THROW(fit_line({}, {}), std::invalid_argument);
}

TEST(MappedLibraries, names_each_file_once_and_shows_two_copies) {
  std::istringstream maps(
      "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06\n"
      "7f01-7f02 r--p 00001000 08:01 1 /usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06\n"
      "7f02-7f03 r-xp 00000000 08:01 2 /opt/a b/libcudnn_ops.so.9.1.0\n"
      "7f03-7f04 r-xp 00000000 08:01 3 /usr/local/lib/libcudnn_ops.so.9.13.0\n"
      "7f04-7f05 r-xp 00000000 08:01 4 /usr/lib/libc.so.6\n"
      "7f05-7f06 rw-p 00000000 00:00 0 [heap]\n");
  const auto found = mapped_libraries(maps);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.at("libcuda"), "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06");
  EXPECT_EQ(found.at("libcudnn_ops"), "/opt/a b/libcudnn_ops.so.9.1.0:/usr/local/lib/libcudnn_ops.so.9.13.0");
}

}  // namespace
