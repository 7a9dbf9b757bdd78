#include "nccl/sweep.hpp"

#include <gtest/gtest.h>

namespace gpugauge::bench::nccl {
namespace {

constexpr double all_sizes = 2 * double(sweep_last) - sweep_first;

TEST(SweepSeconds, AreThoseOfThirtyOneIterationsOfEverySizeOnAFastLink) {
  EXPECT_NEAR(sweep_seconds(400e9), 31 * all_sizes / 400e9, 1e-9);
  EXPECT_NEAR(sweep_seconds(assumed_bytes_per_second), 5.33, 0.01);
}

TEST(SweepSeconds, AreOfFewerIterationsWhereOneIsLong) {
  // 8, 4 and 2 GiB take more than a tenth of a second at 20 GB/s.
  const double long_ones = 14 * 1024.0 * 1024 * 1024;
  EXPECT_NEAR(sweep_seconds(20e9), (16 * long_ones + 31 * (all_sizes - long_ones)) / 20e9, 1e-9);
}

TEST(SweepSeconds, EndAtTheFirstSizeOfWhichOneIterationIsTooLong) {
  // 4 GiB take 2.1 s at 2 GB/s, and 2 GiB 1.07 s.
  const double last = 2 * 1024.0 * 1024 * 1024;
  EXPECT_GT(sweep_seconds(2e9), 16 * last / 2e9);
  EXPECT_LT(sweep_seconds(2e9), 31 * 2 * last / 2e9);
  EXPECT_LT(sweep_seconds(2e9), sweep_seconds(5e9));
}

}  // namespace
}  // namespace gpugauge::bench::nccl
