// What the ratio of two streams to one is held against.
#include "launch/overlap_judged.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using gpugauge::bench::launch::hold_overlap;
using gpugauge::result::Metric;
using testing::HasSubstr;

TEST(OverlapJudged, fails_above_one_and_a_half_on_linux) {
  Metric metric;
  hold_overlap(metric, false, false);
  EXPECT_TRUE(metric.judged);
  ASSERT_TRUE(metric.limit);
  EXPECT_EQ(metric.limit->value, 1);
  EXPECT_TRUE(metric.limit->saturating);
  EXPECT_DOUBLE_EQ(metric.limit->floor.value(), 1 / 1.5);
}

TEST(OverlapJudged, is_recorded_only_where_windows_schedules_the_gpu) {
  Metric metric;
  hold_overlap(metric, false, true);
  EXPECT_FALSE(metric.judged);
  EXPECT_FALSE(metric.limit);
  EXPECT_THAT(metric.note, HasSubstr("WSL"));
}

TEST(OverlapJudged, is_recorded_only_where_launches_wait_for_their_kernels) {
  for (const bool windows : {false, true}) {
    Metric metric;
    hold_overlap(metric, true, windows);
    EXPECT_FALSE(metric.judged);
    EXPECT_FALSE(metric.limit);
    EXPECT_THAT(metric.note, HasSubstr("launches wait"));
  }
}

}  // namespace
