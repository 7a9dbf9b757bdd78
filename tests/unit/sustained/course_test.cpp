#include "sustained/course.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::bench::sustained {
namespace {

using testing::DoubleNear;
using testing::Each;

/// 50 batches a second for `seconds`, each operation taking what `seconds_at` says.
template <typename SecondsAt>
std::vector<Point> course(int seconds, const SecondsAt& seconds_at) {
  std::vector<Point> points;
  for (int i = 0; i < seconds * 50; ++i) {
    const double end = (i + 1) / 50.0 - 1e-6;
    points.push_back({end, seconds_at(end), 1.5e9});
  }
  return points;
}

TEST(Course, a_steady_one_is_flat) {
  const Course flat = course_of(course(10, [](double) { return 2e-3; }));
  EXPECT_NEAR(flat.first_second, 500, 1e-6);
  EXPECT_NEAR(flat.last_second, 500, 1e-6);
  EXPECT_NEAR(flat.slowest_second, 500, 1e-6);
  EXPECT_EQ(flat.spread, 0);
  EXPECT_FALSE(flat.modes.two);
  EXPECT_EQ(flat.per_second.size(), 9U);  // the tenth is not whole by a microsecond
  EXPECT_THAT(flat.clock_per_second, Each(DoubleNear(1.5e9, 1)));
}

TEST(Course, a_drift_shows_between_the_first_second_and_the_last) {
  const Course hot = course_of(course(60, [](double at) { return at < 40 ? 1e-3 : 1.25e-3; }));
  EXPECT_NEAR(hot.first_second, 1000, 1e-6);
  EXPECT_NEAR(hot.last_second, 800, 1e-6);
  EXPECT_NEAR(hot.spread, 0.25, 1e-9);
}

TEST(Course, one_slow_second_in_the_middle_is_found) {
  const Course dip = course_of(course(20, [](double at) { return at >= 7 && at < 8 ? 2e-3 : 1e-3; }));
  EXPECT_NEAR(dip.slowest_second, 500, 1e-6);
  EXPECT_NEAR(dip.first_second, dip.last_second, 1e-6);
}

TEST(Course, batches_longer_than_a_second_still_have_one) {
  const Course slow = course_of({{1.5, 1.5, 0}, {3, 1.5, 0}, {4.5, 1.5, 0}});
  EXPECT_NEAR(slow.first_second, 1 / 1.5, 1e-9);
  EXPECT_NEAR(slow.last_second, 1 / 1.5, 1e-9);
  EXPECT_NEAR(slow.slowest_second, 1 / 1.5, 1e-9);
}

TEST(Course, less_than_two_seconds_are_none) {
  EXPECT_THROW(course_of({}), std::invalid_argument);
  EXPECT_THROW(course_of({{1, 1e-3, 0}}), std::invalid_argument);
}

TEST(Modes, two_clocks_are_two_modes) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 2e-6);
  std::vector<double> values(1000);
  for (int i = 0; i < 1000; ++i) values.at(i) = (i % 5 == 0 ? 1.05e-3 : 1e-3) + noise(random);
  const Modes modes = modes_of(values);
  EXPECT_TRUE(modes.two);
  EXPECT_NEAR(modes.separation, 0.05, 0.002);
  EXPECT_NEAR(modes.minor_share, 0.2, 0.01);
}

TEST(Modes, noise_a_drift_and_a_few_outliers_are_one) {
  std::mt19937 random(2);
  std::normal_distribution<double> noise(1e-3, 2e-5);
  std::vector<double> normal;
  std::vector<double> drift;
  std::vector<double> outliers;
  for (int i = 0; i < 2000; ++i) {
    normal.push_back(noise(random));
    drift.push_back(1e-3 * (1 + i * 5e-5));
    outliers.push_back(i % 100 == 0 ? 2e-3 : noise(random));
  }
  EXPECT_FALSE(modes_of(normal).two);
  EXPECT_FALSE(modes_of(drift).two);
  EXPECT_FALSE(modes_of(outliers).two);
  EXPECT_FALSE(modes_of(std::vector<double>(100, 1e-3)).two);
  EXPECT_FALSE(modes_of({}).two);
}

TEST(Modes, two_that_nearly_coincide_are_one) {
  std::vector<double> values(1000);
  for (int i = 0; i < 1000; ++i) values.at(i) = i % 2 == 0 ? 1e-3 : 1.005e-3;
  EXPECT_FALSE(modes_of(values).two);
}

}  // namespace
}  // namespace gpugauge::bench::sustained
