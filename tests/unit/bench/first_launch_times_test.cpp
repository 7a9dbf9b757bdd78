// Which numbers the times of fresh processes become, by how many processes there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "first_launch/times.hpp"

namespace gpugauge::bench::first_launch {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<result::Metric>& metrics) {
  std::vector<std::string> out;
  out.reserve(metrics.size());
  for (const result::Metric& metric : metrics) out.push_back(metric.name);
  return out;
}

TEST(FirstLaunchTimes, OfThreeProcessesAreTheMedianAndTheSlowest) {
  const auto found = times_of({0.25, 0.5, 0.125}, 3, "context", "init", 1e-8);
  ASSERT_THAT(names(found), ElementsAre("context", "context_maximum"));
  EXPECT_EQ(found[0].value, 0.25);
  EXPECT_TRUE(found[0].judged);
  EXPECT_EQ(found[0].statistic, "median");
  EXPECT_EQ(found[1].value, 0.5);
  EXPECT_EQ(found[1].statistic, "maximum");
  EXPECT_FALSE(found[1].judged);
  EXPECT_EQ(found[1].note, "the slowest of 3 processes: one disturbance makes it");
  EXPECT_EQ(found[1].metric_class, "init");
}

// A fast machine starts more processes within the window: its metrics are the same as a slow one's.
TEST(FirstLaunchTimes, AreNamedByWhatWasPlannedAndNotByWhatCame) {
  EXPECT_THAT(names(times_of(std::vector<double>(40, 0.1), 3, "context", "init", 1e-8)),
              ElementsAre("context", "context_maximum"));
}

// A machine of eight GPUs takes seconds to start CUDA: the rest of the budget would be spent on a p99 that never comes.
TEST(FirstLaunchTimes, SlowProcessesEndWithTheWindowAndThoseThatFitGoOn) {
  const Window window{.seconds = 30, .budget_seconds = 90};
  EXPECT_FALSE(is_last_process(19, 100, 29, window));
  EXPECT_TRUE(is_last_process(20, 100, 30, window));    // 1.5 s each: 150 s
  EXPECT_FALSE(is_last_process(40, 100, 32, window));   // 0.8 s each: 80 s
  EXPECT_TRUE(is_last_process(100, 100, 80, window));   // all that were planned
  EXPECT_FALSE(is_last_process(100, 100, 20, window));  // the window is filled
}

TEST(FirstLaunchTimes, OfFewerProcessesThanAP90NeedsNoneIsLeftOutBeforeTheBudget) {
  const Window window{.seconds = 30, .budget_seconds = 90};
  EXPECT_FALSE(is_last_process(9, 100, 45, window));
  EXPECT_TRUE(is_last_process(10, 100, 50, window));
  EXPECT_TRUE(is_last_process(4, 100, 90, window));
  EXPECT_FALSE(is_last_process(0, 100, 90, window));  // one always runs
  EXPECT_FALSE(is_last_process(2, 3, 80, window));    // a median is of three
  const auto found = times_of(std::vector<double>(20, 1.5), 100, "context", "init", 1e-8);
  ASSERT_THAT(names(found), ElementsAre("context", "context_p90", "context_p99"));
  EXPECT_TRUE(found[1].judged);
  EXPECT_FALSE(found[2].judged);
  EXPECT_EQ(found[2].note, "20 processes are fewer than the 100 that a p99 is judged from");
}

TEST(FirstLaunchTimes, OfAHundredProcessesHaveTheirPercentiles) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const auto found = times_of(values, 100, "context", "init", 1e-8);
  ASSERT_THAT(names(found), ElementsAre("context", "context_p90", "context_p99"));
  EXPECT_EQ(found[0].value, 50.5);
  EXPECT_EQ(found[1].value, 90);
  EXPECT_EQ(found[2].value, 99);
  for (const result::Metric& metric : found) EXPECT_TRUE(metric.judged) << metric.name;
  EXPECT_THAT(names(times_of(values, 10, "context", "init", 1e-8)), ElementsAre("context", "context_p90"));
}

TEST(FirstLaunchTimes, OfABudgetThatEndedFirstJudgeNoPercentileThatTheyDoNotSupport) {
  const auto found = times_of(std::vector<double>(20, 0.5), 100, "context", "init", 1e-8);
  EXPECT_TRUE(found[1].judged) << "a p90 of twenty";
  EXPECT_FALSE(found[2].judged);
  EXPECT_EQ(found[2].note, "20 processes are fewer than the 100 that a p99 is judged from");
}

TEST(FirstLaunchTimes, TooShortForTheClockAreNotJudged) {
  for (const result::Metric& metric : times_of({0, 0, 0}, 100, "context", "init", 1e-8)) {
    EXPECT_FALSE(metric.judged) << metric.name;
    EXPECT_EQ(metric.note, "too short for the clock");
  }
}

}  // namespace
}  // namespace gpugauge::bench::first_launch
