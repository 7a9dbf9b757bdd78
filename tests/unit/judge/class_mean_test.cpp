#include "judge/class_mean.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Ten rounds of a metric: a level and a zigzag of `noise` around it.
Series series(double level, double noise) {
  Series out;
  out.tolerance = .03;
  for (int k = 0; k < 10; ++k) out.rounds.push_back({level + noise * (k % 3 - 1)});
  return out;
}

TEST(ClassMean, IsTheMeanOverItsMembersOfWhatTheyMovedFromTheirCentres) {
  const std::vector<Series> metrics{series(-9, .001), series(3, .002), series(100, .003)};
  const Calibration calibration = calibrate(metrics, {});
  const ClassMean mean = class_mean(metrics, calibration, std::vector<std::size_t>{0, 1, 2}, .01);
  EXPECT_THAT(mean.members, ElementsAre(0U, 1U, 2U));
  EXPECT_EQ(mean.series.tolerance, .01);
  ASSERT_EQ(mean.series.rounds.size(), 10U);
  EXPECT_NEAR(mean.series.rounds[0][0], -.002, 1e-12);
  EXPECT_NEAR(mean.series.rounds[2][0], .002, 1e-12);
  const std::vector<RoundValues> now{{-8.99, -8.98, -8.97}, {3}, {100.01}};
  EXPECT_NEAR(class_round(mean, calibration, now)[0], .01, 1e-12);
  EXPECT_THAT(class_round(mean, calibration, std::vector<RoundValues>{{-9}, {}, {100}}), IsEmpty())
      << "a mean over some of its members is another quantity";
}

TEST(ClassMean, LeavesOutWhatIsTooNoisyOrNotInEveryRoundAndNeedsThree) {
  std::vector<Series> metrics{series(0, .001), series(0, .001), series(0, .001), series(0, .001)};
  metrics[1].rounds.pop_back();
  Calibration calibration = calibrate(metrics, {});
  calibration.scales[3].advisory = true;
  EXPECT_THAT(class_mean(metrics, calibration, std::vector<std::size_t>{0, 1, 2, 3}, .01).members, IsEmpty());
  calibration.scales[3].hidden_by_units = true;
  EXPECT_THAT(class_mean(metrics, calibration, std::vector<std::size_t>{0, 1, 2, 3}, .01).members,
              ElementsAre(0U, 2U, 3U))
      << "not noisy itself";
  calibration.scales[3].advisory = calibration.scales[3].hidden_by_units = false;
  EXPECT_THAT(class_mean(metrics, calibration, std::vector<std::size_t>{0, 1, 2, 3}, .01).members,
              ElementsAre(0U, 2U, 3U));
  EXPECT_THAT(class_mean(metrics, calibration, std::vector<std::size_t>{0, 2}, .01).members, IsEmpty());
}

TEST(Calibrate, ModeratesClassMeansAmongThemselves) {
  std::vector<Series> metrics(7, series(0, .01));
  metrics[6] = series(0, .003);
  const double lone = calibrate(metrics, {}).scales[6].spread;
  metrics[6].group = class_mean_group;
  EXPECT_LT(calibrate(metrics, {}).scales[6].spread, lone / 1.5) << "no noise borrowed from the metrics";
}

/// A run with six metrics of class hbm, each `slow` times its own slowness.
result::Run hbm_run(std::uint64_t seed, const std::vector<double>& slow) {
  result::Run run = make_run(seed);
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  for (result::Process& process : run.processes)
    for (std::size_t i = 0; i < slow.size(); ++i)
      process.samples->benchmarks.push_back(benchmark(
          fmt::format("host/hbm{}", i), metric("bandwidth", "byte/second", result::Direction::higher, "hbm",
                                               1e12 * std::exp(.004 * normal(engine)) / slow[i])));
  return run;
}

baseline::Baseline hbm_baseline() {
  baseline::Baseline out = make_baseline(0);
  for (std::uint64_t k = 0; k < 10; ++k) out.runs.push_back(hbm_run(100 + k, std::vector<double>(6, 1)));
  return out;
}

const Verdict* find(const Judgement& judgement, const std::string& key) {
  for (const Verdict& verdict : judgement.verdicts)
    if (verdict.metric == key) return &verdict;
  return nullptr;
}

Judgement judge(const std::vector<double>& slow, int rounds, const Policy& policy = {}) {
  std::vector<result::Run> runs;
  runs.reserve(static_cast<std::size_t>(rounds));
  for (int j = 0; j < rounds; ++j) runs.push_back(hbm_run(900 + static_cast<std::uint64_t>(j), slow));
  return judge_baseline(runs, hbm_baseline(), policy);
}

TEST(JudgeBaseline, SeesEverythingTwoPercentSlowerInTheClassAndNotInItsMetrics) {
  const std::vector<double> slow(6, 1.02);
  const Judgement first = judge(slow, 1);
  ASSERT_NE(find(first, "class/hbm"), nullptr);
  EXPECT_EQ(first.request.benchmarks.size(), 6U) << "all members of the class in doubt";
  const Judgement judgement = judge(slow, 4);
  const Verdict& verdict = *find(judgement, "class/hbm");
  EXPECT_EQ(verdict.kind, VerdictKind::regressed);
  EXPECT_NEAR(verdict.change.value(), .02, .005);
  EXPECT_NEAR(verdict.value.value(), 1 / 1.02, .005);
  EXPECT_NEAR(verdict.baseline.value(), 1, .002);
  EXPECT_EQ(verdict.unit, "1");
  EXPECT_NEAR(verdict.tolerance, .01, 1e-12);
  EXPECT_EQ(verdict.reason,
            "1.8% less on average in all 6 metrics; worse in 2 of 2 rounds (tolerance of the mean 1.0%)");
  for (int i = 0; i < 6; ++i)
    EXPECT_NE(find(judgement, fmt::format("host/hbm{}:bandwidth", i))->kind, VerdictKind::regressed);
}

TEST(JudgeBaseline, SaysWhichMetricCarriesAClassMean) {
  const Judgement judgement = judge({1.2, 1, 1, 1, 1, 1}, 4);
  const Verdict& verdict = *find(judgement, "class/hbm");
  EXPECT_EQ(verdict.kind, VerdictKind::regressed);
  EXPECT_THAT(verdict.reason, HasSubstr("host/hbm0:bandwidth carries it"));
}

TEST(JudgeBaseline, SaysWhichMetricCarriesAnImprovedClassMean) {
  const Judgement one = judge({.8, 1, 1, 1, 1, 1}, 4);
  EXPECT_EQ(find(one, "class/hbm")->kind, VerdictKind::improved);
  EXPECT_THAT(find(one, "class/hbm")->reason, HasSubstr("host/hbm0:bandwidth carries it (25."));
  const Judgement all = judge(std::vector<double>(6, .97), 4);
  EXPECT_EQ(find(all, "class/hbm")->kind, VerdictKind::improved);
  EXPECT_THAT(find(all, "class/hbm")->reason, HasSubstr("% more on average in all 6 metrics; better in "));
}

TEST(JudgeBaseline, AHealthyClassIsOkAndCanBeLeftOut) {
  const Judgement judgement = judge(std::vector<double>(6, 1), 1);
  EXPECT_EQ(find(judgement, "class/hbm")->kind, VerdictKind::ok);
  EXPECT_EQ(find(judgement, "class/host_memory"), nullptr) << "two metrics make no class mean";
  Policy policy;
  policy.class_means = false;
  EXPECT_EQ(find(judge(std::vector<double>(6, 1.02), 1, policy), "class/hbm"), nullptr);
}

TEST(JudgeBaseline, APolicySetsTheToleranceOfAClassMeanByItsName) {
  Policy policy;
  policy.metrics = {{"class/hbm", .05, {}, ""}};
  const Judgement judgement = judge(std::vector<double>(6, 1.02), 4, policy);
  const Verdict& mean = *find(judgement, "class/hbm");
  EXPECT_EQ(mean.kind, VerdictKind::ok) << mean.reason;
  EXPECT_NEAR(mean.tolerance, .05, 1e-12);
  EXPECT_NEAR(find(judgement, "host/hbm0:bandwidth")->tolerance, .03, 1e-12) << "that of a metric stays";
  policy.metrics = {{"*", .05, {}, ""}};
  EXPECT_NEAR(find(judge(std::vector<double>(6, 1.02), 4, policy), "class/hbm")->tolerance, .01, 1e-12)
      << "\"*\" is meant for metrics";
}

TEST(JudgeBaseline, AMetricThatThePolicyMakesAdvisoryDoesNotCountByItsClass) {
  Policy policy;
  policy.metrics = {{"host/hbm0*", std::nullopt, true, "being rewritten"}};
  const std::vector<double> slow{1.5, 1, 1, 1, 1, 1};
  EXPECT_EQ(find(judge(slow, 4), "class/hbm")->kind, VerdictKind::regressed);
  EXPECT_EQ(find(judge(slow, 4, policy), "class/hbm")->kind, VerdictKind::ok);
}

TEST(JudgeBaseline, ARoundThatMeasuredSomeMembersOnlySaysNothingOfTheClass) {
  std::vector<result::Run> runs{hbm_run(900, std::vector<double>(6, 1.02))};
  for (std::uint64_t j = 1; j < 4; ++j) {
    runs.push_back(hbm_run(900 + j, std::vector<double>(6, 1.02)));
    for (result::Process& process : runs.back().processes) process.samples->benchmarks.pop_back();
  }
  const Judgement judgement = judge_baseline(runs, hbm_baseline());
  EXPECT_EQ(find(judgement, "class/hbm")->rounds, 1);
  EXPECT_EQ(find(judgement, "class/hbm")->kind, VerdictKind::inconclusive);
}

TEST(JudgeBaseline, AProvisionalBaselineCountsAClassMeanAboveTheToleranceOfItsMetrics) {
  baseline::Baseline baseline = hbm_baseline();
  for (result::Run& run : baseline.runs) {
    run.boot_id = "one";
    run.started = "2026-01-01T00:00:00Z";
  }
  ASSERT_TRUE(baseline.provisional());
  for (const auto& [slow, advisory] : {std::pair{1.02, true}, std::pair{1.06, false}}) {
    std::vector<result::Run> runs;
    runs.reserve(4);
    for (std::uint64_t j = 0; j < 4; ++j) runs.push_back(hbm_run(900 + j, std::vector<double>(6, slow)));
    const Judgement judgement = judge_baseline(runs, baseline);
    EXPECT_EQ(find(judgement, "class/hbm")->kind, VerdictKind::regressed);
    EXPECT_EQ(find(judgement, "class/hbm")->advisory, advisory) << slow;
  }
}

TEST(JudgeBaseline, AClassMeanIsOnTheScaleOfItsMetrics) {
  // 30% less of each is 30% less of the class, and not the 42.9% that it takes longer.
  const Judgement judgement = judge(std::vector<double>(6, 1 / .7), 4);
  const Verdict& of_class = *find(judgement, "class/hbm");
  const Verdict& of_one = *find(judgement, "host/hbm0:bandwidth");
  EXPECT_EQ(of_class.better, result::Direction::higher);
  EXPECT_NEAR(of_class.change.value(), .3, .005);
  EXPECT_NEAR(of_class.value.value(), .7, .005);
  EXPECT_NEAR(of_one.change.value(), .3, .005);
  EXPECT_THAT(of_class.reason, HasSubstr("% less on average in all 6 metrics"));
  EXPECT_THAT(of_class.reason, testing::Not(HasSubstr("42.")));
}

TEST(JudgeBaseline, AnAcceptedClassMeanCountsAlsoWhereAnOlderLogHasItAsATime) {
  for (const double accepted : {.7, 1 / .7}) {
    baseline::Baseline baseline = hbm_baseline();
    baseline::LogEntry entry;
    entry.time = "2025-01-01T00:00:00Z";
    entry.who = entry.reason = "x";
    entry.accepted = {"class/hbm", "1", 1, accepted, "01TESTRUN", "", ""};
    baseline.log.push_back(entry);
    for (const auto& [left, advisory] : {std::pair{.7, true}, std::pair{.6, false}}) {
      std::vector<result::Run> runs;
      runs.reserve(4);
      for (std::uint64_t j = 0; j < 4; ++j)
        runs.push_back(hbm_run(900 + j, std::vector<double>(6, 1 / left)));
      const Judgement judgement = judge_baseline(runs, baseline);
      EXPECT_EQ(find(judgement, "class/hbm")->kind, VerdictKind::regressed);
      EXPECT_EQ(find(judgement, "class/hbm")->accepted, advisory) << accepted << " " << left;
    }
  }
}

TEST(Sensitivity, ListsTheClassMeans) {
  const std::vector<Sensitivity> rows = sensitivity(hbm_baseline());
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [](const Sensitivity& row) { return row.metric == "class/hbm"; });
  ASSERT_NE(found, rows.end());
  EXPECT_NEAR(found->centre, 1, .01);
  EXPECT_NEAR(found->tolerance, .01, 1e-12);
}

}  // namespace
}  // namespace gpugauge::judge
