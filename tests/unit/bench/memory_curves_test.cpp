#include <cmath>

#include <gtest/gtest.h>

#include "memory/groups.hpp"
#include "memory/knee.hpp"
#include "memory/pages.hpp"
#include "memory/scattered.hpp"
#include "memory/steps.hpp"
#include "support/chase.hpp"

namespace {

using namespace gpugauge::bench::memory;

// A curve with L1 up to 2, L2 up to 16 and memory behind it.
const std::vector<Point> curve{{1, 100}, {2, 100}, {4, 60}, {8, 58}, {16, 62}, {32, 30}, {64, 20}, {128, 20}};

TEST(Level, is_the_median_of_the_footprints_between_both_ends) {
  EXPECT_EQ(level(curve, 4, 16), 60);
  EXPECT_EQ(level(curve, 1, 2), 100);
  EXPECT_EQ(level(curve, 64, 1000), 20);
  EXPECT_FALSE(level(curve, 5, 7).has_value());
  EXPECT_FALSE(level({}, 0, 1).has_value());
}

TEST(Level, of_l1_ends_where_the_smallest_l1_of_the_generation_does) {
  EXPECT_EQ(l1_plateau_bytes(75), 32 * 1024);
  EXPECT_EQ(l1_plateau_bytes(80), 64 * 1024);
  EXPECT_EQ(l1_plateau_bytes(120), 64 * 1024);
}

TEST(Knee, lies_between_the_points_on_both_sides_of_the_threshold) {
  // From 62 at 16 to 30 at 32: 46 is halfway, at the geometric middle of the footprints.
  const auto knee = falls_below(curve, 46);
  ASSERT_TRUE(knee.has_value());
  EXPECT_DOUBLE_EQ(*knee, 16 * std::sqrt(2.0));
}

TEST(Knee, is_the_last_place_where_the_curve_falls) {
  // The point at 4 was disturbed.
  const auto knee = falls_below({{1, 60}, {2, 60}, {4, 10}, {8, 60}, {16, 20}}, 40);
  ASSERT_TRUE(knee.has_value());
  EXPECT_DOUBLE_EQ(*knee, 8 * std::sqrt(2.0));
}

TEST(Knee, a_point_on_the_threshold_is_not_below_it) {
  const auto knee = falls_below({{1, 60}, {2, 40}, {4, 20}}, 40);
  ASSERT_TRUE(knee.has_value());
  EXPECT_DOUBLE_EQ(*knee, 2);
}

TEST(Knee, is_none_where_the_curve_never_falls_or_begins_below) {
  EXPECT_FALSE(falls_below({{1, 60}, {2, 60}}, 40).has_value());
  EXPECT_FALSE(falls_below({{1, 30}, {2, 20}}, 40).has_value());
  EXPECT_FALSE(falls_below({}, 40).has_value());
}

TEST(Knee, of_a_rising_curve_is_the_mirror_image) {
  const auto knee = rises_above({{1, 200}, {4, 200}, {16, 300}, {64, 400}}, 250);
  ASSERT_TRUE(knee.has_value());
  EXPECT_DOUBLE_EQ(*knee, 8);
  EXPECT_FALSE(rises_above({{1, 200}, {2, 210}}, 250).has_value());
}

TEST(Groups, two_clusters_are_separate) {
  const Groups groups = two_groups({200, 201, 260, 199, 262, 258, 200, 260});
  EXPECT_TRUE(groups.separate);
  EXPECT_DOUBLE_EQ(groups.low, 200);
  EXPECT_DOUBLE_EQ(groups.high, 260);
  EXPECT_DOUBLE_EQ(groups.low_share, 0.5);
}

TEST(Groups, unequal_clusters_keep_their_shares) {
  std::vector<double> values(70, 1e-7);
  values.insert(values.end(), 30, 2e-7);
  const Groups groups = two_groups(values);
  EXPECT_TRUE(groups.separate);
  EXPECT_DOUBLE_EQ(groups.low_share, 0.7);
  EXPECT_NEAR(groups.high, 2e-7, 1e-20);
}

TEST(Groups, one_even_spread_is_not_two) {
  std::vector<double> values(1000);
  for (int i = 0; i < 1000; ++i) values.at(i) = 200 + i * 0.1;
  const Groups groups = two_groups(values);
  EXPECT_FALSE(groups.separate);
  EXPECT_NEAR(groups.low_share, 0.5, 0.01);
}

TEST(Groups, a_few_stragglers_are_no_group) {
  std::vector<double> values(97, 200);
  values.insert(values.end(), 3, 900);
  EXPECT_FALSE(two_groups(values).separate);
}

TEST(Groups, equal_values_are_one) {
  EXPECT_FALSE(two_groups({5, 5, 5, 5}).separate);
}

TEST(ScatteredBytes, OfABigCacheIsThirtyTwoTimesItWhereThatFits) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  const auto all = [](std::size_t) { return true; };
  EXPECT_EQ(scattered_bytes(60 * mebibyte, gibibyte, all), 1920 * mebibyte);
  EXPECT_EQ(scattered_bytes(126 * mebibyte, gibibyte, all), 4032 * mebibyte);
  EXPECT_EQ(scattered_bytes(4 * mebibyte, gibibyte, all), gibibyte) << "of a small cache 1 GiB is enough";
  const auto two = [](std::size_t bytes) { return bytes <= 2 * gibibyte; };
  EXPECT_EQ(scattered_bytes(126 * mebibyte, gibibyte, two), 2016 * mebibyte) << "half as much";
  const auto none = [](std::size_t) { return false; };
  EXPECT_EQ(scattered_bytes(126 * mebibyte, gibibyte, none), gibibyte) << "never less";
}

gpugauge::bench::GpuMemory memory_of(std::size_t total_gib, std::size_t free_gib, bool shared) {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  return {.total = total_gib * gibibyte, .free = free_gib * gibibyte, .shared_with_host = shared};
}

TEST(JudgedPages, follow_from_the_size_of_a_card_and_not_from_what_is_free) {
  EXPECT_EQ(most_judged(memory_of(80, 1, false)), 8192U);
  EXPECT_EQ(most_judged(memory_of(80, 79, false)), 8192U);
  EXPECT_EQ(most_judged(memory_of(24, 24, false)), 2048U);
  EXPECT_EQ(most_judged(memory_of(6, 6, false)), 512U);
  EXPECT_EQ(most_judged(memory_of(1, 1, false)), 0U);
}

TEST(JudgedPages, of_memory_that_is_the_hosts_too_are_the_fewest_whatever_is_free) {
  EXPECT_EQ(most_judged(memory_of(120, 110, true)), 512U);
  EXPECT_EQ(most_judged(memory_of(120, 3, true)), 512U);
}

TEST(PagesThatFit, leave_a_tenth_of_a_card_and_half_of_what_the_host_has_free) {
  EXPECT_EQ(pages_that_fit(memory_of(80, 79, false)), most_pages);
  EXPECT_EQ(pages_that_fit(memory_of(80, 30, false)), 8192U);
  EXPECT_EQ(pages_that_fit(memory_of(80, 8, false)), fewest_pages);
  EXPECT_EQ(pages_that_fit(memory_of(120, 110, true)), 16384U);
  EXPECT_EQ(pages_that_fit(memory_of(120, 30, true)), 4096U);
  EXPECT_EQ(pages_that_fit(memory_of(80, 0, true)), fewest_pages);
}

// A kernel that does nothing leaves the chase at its start, and one that is skipped leaves it a launch
// behind.
TEST(ChaseSteps, never_end_at_the_start_and_no_launch_ends_where_it_began) {
  using gpugauge::bench::Cycle;
  for (const std::uint32_t steps : {l1_steps, l2_steps, dram_steps, tlb_steps})
    for (const std::uint64_t lines : {16U, 64U, 1024U, 32768U, 1U << 23U}) {
      const Cycle cycle(lines, 7);
      for (std::uint64_t launches = 0; launches <= 3000; ++launches) {
        const std::uint64_t all = launches * steps;
        const std::uint64_t followed = all + further_steps(all, lines);
        ASSERT_NE(cycle.after(0, followed), 0U) << steps << " " << lines << " " << launches;
        ASSERT_NE(cycle.after(0, all), cycle.after(0, all + steps))
            << steps << " " << lines << " " << launches;
      }
    }
}

TEST(ChaseSteps, go_one_further_only_where_the_cycle_has_just_closed) {
  EXPECT_EQ(further_steps(0, 64), 1U);
  EXPECT_EQ(further_steps(63, 64), 0U);
  EXPECT_EQ(further_steps(64, 64), 1U);
  EXPECT_EQ(further_steps(std::uint64_t{64} * l1_steps, 64), 1U);
}

}  // namespace
