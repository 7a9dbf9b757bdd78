#include "sustained/course.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::bench::sustained {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

/// 50 batches a second for `seconds`, each operation taking what `seconds_at` says. The GPU is at work for
/// 19.5 ms of the 20 ms of a batch.
template <typename SecondsAt>
std::vector<Point> course(int seconds, const SecondsAt& seconds_at) {
  std::vector<Point> points;
  for (int i = 0; i < seconds * 50; ++i) {
    const double end = (i + 1) / 50.0 - 1e-6;
    points.push_back({end, seconds_at(end), 1.5e9, 19.5e-3});
  }
  return points;
}

/// The course without what begins in [from, to): nothing ran meanwhile.
std::vector<Point> with_pause(std::vector<Point> points, double from, double to) {
  points.erase(std::remove_if(points.begin(), points.end(),
                              [&](const Point& point) {
                                const double begin = point.end_seconds - point.busy_seconds;
                                return begin >= from && begin < to;
                              }),
               points.end());
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
  const Course slow = course_of({{1.5, 1.5, 0, 1.5}, {3, 1.5, 0, 1.5}, {4.5, 1.5, 0, 1.5}});
  EXPECT_NEAR(slow.first_second, 1 / 1.5, 1e-9);
  EXPECT_NEAR(slow.last_second, 1 / 1.5, 1e-9);
  EXPECT_NEAR(slow.slowest_second, 1 / 1.5, 1e-9);
}

// Of 2.5 s each: no batch ends in the seconds from 0, 1, 3 and 6.
TEST(Course, a_second_that_one_batch_spans_has_the_rate_and_clock_of_that_batch) {
  const Course slow = course_of({{2.5, .5, 1e9, 2.5}, {5, .25, 2e9, 2.5}, {7.5, .5, 3e9, 2.5}});
  EXPECT_THAT(slow.per_second, ElementsAre(2, 2, 2, 4, 4, 4, 2));
  EXPECT_THAT(slow.clock_per_second, ElementsAre(1e9, 1e9, 1e9, 2e9, 2e9, 2e9, 3e9));
  EXPECT_NEAR(slow.longest_pause, 0, 1e-9);
}

TEST(Course, a_second_in_which_nothing_ran_is_a_zero_and_what_follows_keeps_its_place) {
  const Course broken =
      course_of(with_pause(course(10, [](double at) { return at < 5 ? 1e-3 : 2e-3; }), 2.9, 5.1));
  ASSERT_EQ(broken.per_second.size(), 9U);
  EXPECT_THAT(broken.per_second,
              ElementsAre(DoubleNear(1000, 1e-6), DoubleNear(1000, 1e-6), DoubleNear(1000, 1e-6), 0, 0,
                          DoubleNear(500, 1e-6), DoubleNear(500, 1e-6), DoubleNear(500, 1e-6),
                          DoubleNear(500, 1e-6)));
  EXPECT_EQ(broken.clock_per_second[3], 0);
  EXPECT_NEAR(broken.slowest_second, 500, 1e-6) << "of what ran";
  // The batch that begins at 2.8805 ends at 2.9; that of 5.1005 is the next. Between others lie .5 ms.
  EXPECT_NEAR(broken.longest_pause, 5.1005 - 2.9 - .5e-3, 1e-5);
}

TEST(Course, a_pause_within_a_second_leaves_no_zero_and_is_the_longest) {
  const Course broken = course_of(with_pause(course(10, [](double) { return 1e-3; }), 3.05, 3.95));
  EXPECT_THAT(broken.per_second, Each(DoubleNear(1000, 1e-6)));
  EXPECT_NEAR(broken.longest_pause, .9, 1e-5);
}

TEST(Course, a_pause_before_the_first_batch_is_one) {
  const Course late = course_of(with_pause(course(10, [](double) { return 1e-3; }), -1, 1.5));
  EXPECT_EQ(late.per_second.front(), 0);
  EXPECT_NEAR(late.first_second, 1000, 1e-6);
  EXPECT_NEAR(late.longest_pause, 1.5, 1e-5);
}

TEST(Course, without_a_pause_what_lies_between_batches_is_none) {
  EXPECT_NEAR(course_of(course(10, [](double) { return 1e-3; })).longest_pause, 0, 1e-5);
}

TEST(Course, less_than_two_seconds_are_none) {
  EXPECT_THROW(course_of({}), std::invalid_argument);
  EXPECT_THROW(course_of({{1, 1e-3, 0, 1}}), std::invalid_argument);
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
