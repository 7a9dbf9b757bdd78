// The selftest on made baselines: a quiet one finds what it should, and says how it was done.
#include "judge/selftest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

SelftestOptions few() {
  SelftestOptions options;
  options.trials = 20;
  options.injections = 20;
  options.drops = {.03, .30};
  return options;
}

TEST(Selftest, AQuietBaselineNeverAlarmsAndFindsLargeDrops) {
  const Selftest made = selftest(make_baseline(12), {}, few());
  EXPECT_FALSE(made.resampled);
  EXPECT_EQ(made.baseline_rounds, 8);
  ASSERT_EQ(made.rows.size(), 3U);  // all, host_cpu, host_memory
  EXPECT_EQ(made.rows[0].metric_class, "");
  for (const SelftestRow& row : made.rows) {
    EXPECT_EQ(row.false_alarm, 0) << row.metric_class;
    ASSERT_EQ(row.power.size(), 2U);
    EXPECT_LT(row.power[0], .5) << "3% is within the host's tolerance of 10%";
    EXPECT_EQ(row.power[1], 1) << row.metric_class;
    EXPECT_EQ(row.smallest, .30);
    ASSERT_EQ(row.injected.size(), 2U);
    EXPECT_GE(row.injected[0], 20) << row.metric_class;
    EXPECT_GT(row.at_least, .8) << row.metric_class;
    EXPECT_LT(row.at_least, 1) << "20 of 20 is no certainty";
  }
}

TEST(Selftest, EachClassSeesEnoughDropsForWhatIsSaidOfIt) {
  SelftestOptions options = few();
  options.trials = 1;
  options.injections = 300;
  options.drops = {.30};
  const auto rows = selftest(make_baseline(12), {}, options).rows;
  ASSERT_FALSE(rows.empty());
  for (const SelftestRow& row : rows) {
    ASSERT_FALSE(row.injected.empty()) << row.metric_class;
    EXPECT_GE(row.injected[0], 300) << row.metric_class;
    ASSERT_TRUE(row.smallest.has_value()) << row.metric_class;
    EXPECT_GT(row.at_least, .97) << row.metric_class;
  }
}

TEST(Selftest, ASplitIsNoMoreProvisionalThanTheBaseline) {
  // Three boots and days, of which two have a single round: most splits would miss one, and from a
  // provisional side a drop of 15% does not count.
  baseline::Baseline baseline = make_baseline(10);
  for (std::size_t i = 0; i < 10; ++i) {
    baseline.runs[i].boot_id = i < 8 ? "a" : i < 9 ? "b" : "c";
    baseline.runs[i].started = fmt::format("2026-01-0{}T00:00:00Z", i < 8 ? 1 : i - 6);
  }
  SelftestOptions options = few();
  options.drops = {.15};
  EXPECT_GT(selftest(baseline, {}, options).rows[0].power[0], .9);
  for (result::Run& run : baseline.runs) {
    run.boot_id = "a";
    run.started = "2026-01-01T00:00:00Z";
  }
  EXPECT_LT(selftest(baseline, {}, options).rows[0].power[0], .1);
}

TEST(Selftest, TooFewRoundsToHoldBackAreRepeatedAndThatIsSaid) {
  const Selftest made = selftest(make_baseline(5), {}, few());
  EXPECT_TRUE(made.resampled);
  EXPECT_EQ(made.baseline_rounds, 5);
}

TEST(Selftest, IsTheSameForTheSameSeedAndSaysHowFarItIs) {
  SelftestOptions options = few();
  int calls = 0;
  options.progress = [&](int done, int all) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(all, 100) << "20, and 40 for each size: two classes in turn";
  };
  const Selftest a = selftest(make_baseline(10), {}, options);
  EXPECT_EQ(calls, 100);
  calls = 0;
  const Selftest b = selftest(make_baseline(10), {}, options);
  for (std::size_t i = 0; i < a.rows.size(); ++i) EXPECT_EQ(a.rows[i].power, b.rows[i].power);
}

TEST(Selftest, RefusesWhatCannotBeTested) {
  EXPECT_THROW(selftest(make_baseline(4), {}, few()), result::UsageError);
  SelftestOptions options = few();
  options.drops = {.5, .1};
  EXPECT_THROW(selftest(make_baseline(10), {}, options), std::invalid_argument);
}

}  // namespace
}  // namespace gpugauge::judge
