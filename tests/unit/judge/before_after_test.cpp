// Runs of two sides: what is the unit, what is said first, and what is missing.
#include "judge/before_after.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<result::Run> side(std::uint64_t seed, int runs, const Slowness& slow = {},
                              const std::string& boot = "") {
  std::vector<result::Run> out;
  for (int i = 0; i < runs; ++i) {
    out.push_back(make_run(seed + static_cast<std::uint64_t>(i), slow));
    if (!boot.empty()) out.back().boot_id = boot;
  }
  return out;
}

const Verdict& of(const BeforeAfter& judged, const std::string& key) {
  return *std::find_if(judged.verdicts.begin(), judged.verdicts.end(),
                       [&](const Verdict& v) { return v.metric == key; });
}

TEST(BeforeAfter, FindsTheMetricThatGotWorseAndNoOther) {
  const BeforeAfter judged = judge_before_after(side(1, 5), side(50, 5, {1.5, 1, 1}));
  EXPECT_EQ(of(judged, triad).kind, VerdictKind::regressed);
  EXPECT_NEAR(*of(judged, triad).change, 1 - 1 / 1.5, .02);
  EXPECT_EQ(of(judged, latency).kind, VerdictKind::ok);
  EXPECT_EQ(of(judged, wake).kind, VerdictKind::ok);
}

TEST(BeforeAfter, SaysFirstWhatTheDataCanShow) {
  const BeforeAfter judged = judge_before_after(side(1, 5), side(50, 5));
  EXPECT_THAT(judged.remarks.front(), HasSubstr("can show a drop of"));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("the boot is the unit")));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("measure it once more")));
}

TEST(BeforeAfter, OneBootOnBothSidesMakesTheRoundTheUnit) {
  const BeforeAfter judged = judge_before_after(side(1, 3, {}, "b"), side(50, 3, {1, 1.2, 1}, "b"));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("the round is the unit")));
  EXPECT_EQ(of(judged, latency).kind, VerdictKind::regressed) << of(judged, latency).reason;
}

TEST(BeforeAfter, OldNewOldIsRecognised) {
  std::vector<result::Run> before = side(1, 2);
  std::vector<result::Run> after = side(50, 2);
  before[0].started = "2026-01-01T00:00:00Z";
  before[1].started = "2026-01-09T00:00:00Z";
  after[0].started = after[1].started = "2026-01-05T00:00:00Z";
  EXPECT_THAT(judge_before_after(before, after).remarks, Contains(HasSubstr("A/B/A): a drift")));
}

TEST(BeforeAfter, AMetricThatVanishedIsMissingAndANewOneIsSaid) {
  std::vector<result::Run> after = side(50, 2);
  for (result::Run& run : after)
    for (result::Process& process : run.processes)
      std::erase_if(process.samples->benchmarks, [](const auto& one) { return one.id == "host/wake"; });
  EXPECT_EQ(of(judge_before_after(side(1, 2), after), wake).kind, VerdictKind::missing);
  EXPECT_EQ(of(judge_before_after(after, side(1, 2)), wake).kind, VerdictKind::new_metric);
}

TEST(BeforeAfter, APolicyMakesAMetricAdvisoryAndSetsItsTolerance) {
  Policy policy;
  policy.metrics = {{triad, .6, false, ""}, {latency, std::nullopt, true, "known"}};
  const BeforeAfter judged = judge_before_after(side(1, 5), side(50, 5, {1.5, 1.5, 1}), policy);
  EXPECT_EQ(of(judged, triad).kind, VerdictKind::ok);
  EXPECT_EQ(of(judged, latency).kind, VerdictKind::regressed);
  EXPECT_TRUE(of(judged, latency).advisory);
}

TEST(BeforeAfter, AnEmptySideIsRefused) {
  EXPECT_THROW(judge_before_after({}, side(1, 1)), std::invalid_argument);
}

TEST(BeforeAfter, WhatWillBeSeenIsWhatAComparisonWithAnotherBootThenShows) {
  baseline::Baseline before;
  before.runs = side(1, 5, {}, "old boot");
  const std::vector<Sensitivity> rows = foreseen(before);
  ASSERT_EQ(rows.size(), 3U);
  const BeforeAfter judged = judge_before_after(before.runs, side(1, 5, {}, "new boot"));
  for (const Sensitivity& row : rows) {
    EXPECT_DOUBLE_EQ(row.minimum_detectable_drop, *of(judged, row.metric).minimum_detectable_drop);
    EXPECT_FALSE(row.advisory);
  }
  // How boots differ counts: within one boot the same rounds see more.
  EXPECT_LT(*of(judge_before_after(before.runs, before.runs), triad).minimum_detectable_drop,
            *of(judged, triad).minimum_detectable_drop);
}

}  // namespace
}  // namespace gpugauge::judge
