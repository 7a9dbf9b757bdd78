// Runs of two sides: what is the unit, what is said first, and what is missing.
#include "judge/before_after.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_rounds.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<result::Run> side(std::uint64_t seed, int runs, const Slowness& slow = {},
                              const std::string& boot = "") {
  std::vector<result::Run> out;
  for (int i = 0; i < runs; ++i) {
    out.push_back(make_run(seed + static_cast<std::uint64_t>(i), slow));
    if (!boot.empty()) out.back().boot_id = boot;
  }
  return out;
}

TEST(BeforeAfter, FindsTheMetricThatGotWorseAndNoOther) {
  const BeforeAfter judged = judge_before_after(side(1, 5), side(50, 5, {1.5, 1, 1}));
  EXPECT_EQ(of(judged, triad).kind, VerdictKind::regressed);
  EXPECT_THAT(of(judged, triad).reason, HasSubstr("beyond what rounds and boots explain"));
  EXPECT_THAT(of(judged, wake).reason, HasSubstr(" worse with 95% confidence (tolerance "));
  EXPECT_NEAR(*of(judged, triad).change, 1 - 1 / 1.5, .02);
  EXPECT_EQ(of(judged, latency).kind, VerdictKind::ok);
  EXPECT_EQ(of(judged, wake).kind, VerdictKind::ok);
}

TEST(BeforeAfter, BitsThatChangedFailWhateverThePolicySays) {
  const auto noting = [](std::vector<result::Run> runs, const char* sum) {
    for (result::Run& run : runs)
      for (result::Process& process : run.processes)
        process.samples->benchmarks.front().notes["checksum"] = sum;
    return runs;
  };
  Policy policy;
  policy.metrics.push_back({"*", std::nullopt, true, ""});
  const BeforeAfter judged = judge_before_after(noting(side(1, 5), "aa"), noting(side(50, 5), "bb"), policy);
  const auto wrong = std::find_if(judged.verdicts.begin(), judged.verdicts.end(),
                                  [](const Verdict& v) { return v.kind == VerdictKind::failed; });
  ASSERT_NE(wrong, judged.verdicts.end());
  EXPECT_FALSE(wrong->advisory);
  EXPECT_THAT(wrong->reason, HasSubstr("checksum bb now, aa before"));
}

TEST(BeforeAfter, TwoCardsAreAllowedWhatHealthyOnesDifferBy) {
  const auto of_card = [](std::vector<result::Run> runs, const char* card) {
    for (result::Run& run : runs) run.device = card;
    return runs;
  };
  const BeforeAfter one = judge_before_after(of_card(side(1, 5), "GPU-1"), of_card(side(50, 5), "GPU-1"));
  const BeforeAfter two = judge_before_after(of_card(side(1, 5), "GPU-1"), of_card(side(50, 5), "GPU-2"));
  EXPECT_THAT(two.remarks, Contains(HasSubstr("of two nodes or cards: how healthy nodes")));
  EXPECT_THAT(one.remarks, ::testing::Not(Contains(HasSubstr("of two nodes or cards"))));
  EXPECT_GT(*of(two, triad).minimum_detectable_drop, *of(one, triad).minimum_detectable_drop);
}

TEST(BeforeAfter, SaysFirstWhatTheDataCanShow) {
  const BeforeAfter judged = judge_before_after(side(1, 5), side(50, 5));
  EXPECT_THAT(judged.remarks.front(), HasSubstr("can show a drop of"));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("the boot is the unit")));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("measure it once more")));
}

TEST(BeforeAfter, NoDropIsPromisedThatNothingCouldMake) {
  // Two processes of a single boot a side, far apart: whatever lies between them cannot be told.
  const auto wild = [](std::uint64_t seed) {
    std::vector<result::Run> runs = side(seed, 1, {}, fmt::format("{}", seed));
    for (result::Run& run : side(seed + 1, 1, {60, 60, 60}, fmt::format("{}", seed))) runs.push_back(run);
    return runs;
  };
  const BeforeAfter judged = judge_before_after(wild(1), wild(50));
  EXPECT_THAT(judged.remarks.front(), testing::MatchesRegex("These data can show no drop: .* worse\\."));
  EXPECT_EQ(of(judged, triad).kind, VerdictKind::inconclusive);
  EXPECT_THAT(of(judged, triad).reason, HasSubstr("; no drop of it could be (tolerance"));
  EXPECT_THAT(of(judged, latency).reason, HasSubstr("only where it is >1000% worse it could be"));
}

TEST(BeforeAfter, OneBootOnBothSidesMakesTheRoundTheUnit) {
  const BeforeAfter judged = judge_before_after(side(1, 3, {}, "b"), side(50, 3, {1, 1.2, 1}, "b"));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("the round is the unit")));
  EXPECT_EQ(of(judged, latency).kind, VerdictKind::regressed) << of(judged, latency).reason;
  EXPECT_THAT(of(judged, latency).reason, HasSubstr("beyond what these rounds, all of one boot, explain"))
      << "nothing is known of other boots";
}

TEST(BeforeAfter, UnknownBootsAreNotTheSameBoot) {
  const auto without = [](std::uint64_t seed) {
    std::vector<result::Run> runs = side(seed, 3, {}, "b");
    for (result::Run& run : runs) run.boot_id.clear();
    return runs;
  };
  const BeforeAfter judged = judge_before_after(without(1), without(50));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("3 rounds of unknown boots before, 3 rounds of unknown "
                                                 "boots after; the boot is the unit")));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("6 of 6 runs hold no boot id")));
  const BeforeAfter known = judge_before_after(side(1, 3, {}, "b"), side(50, 3, {}, "c"));
  const BeforeAfter same = judge_before_after(side(1, 3, {}, "b"), side(50, 3, {}, "b"));
  EXPECT_DOUBLE_EQ(*of(judged, latency).minimum_detectable_drop, *of(known, latency).minimum_detectable_drop);
  EXPECT_GT(*of(judged, latency).minimum_detectable_drop, *of(same, latency).minimum_detectable_drop);
  EXPECT_THAT(judge_before_after(side(1, 3, {}, "b"), without(50)).remarks,
              Contains(HasSubstr("3 of 6 runs hold no boot id")));
}

TEST(BeforeAfter, OldNewOldIsRecognised) {
  std::vector<result::Run> before = side(1, 2);
  std::vector<result::Run> after = side(50, 2);
  before[0].started = "2026-01-01T00:00:00Z";
  before[1].started = "2026-01-09T00:00:00Z";
  after[0].started = after[1].started = "2026-01-05T00:00:00Z";
  EXPECT_THAT(judge_before_after(before, after).remarks, Contains(HasSubstr("A/B/A): a drift")));
}

TEST(BeforeAfter, WhatToDoOnceMoreIsTheCallersWords) {
  const std::vector<result::Run> before = side(1, 2, {}, "b");
  const std::vector<result::Run> after = side(50, 2, {}, "c");
  EXPECT_THAT(judge_before_after(before, after).remarks,
              Contains("Where the old stack can be booted again, measure it once more and give it with "
                       "--before (A/B/A): it tells the change from a drift of the machine."));
  EXPECT_THAT(judge_before_after(before, after, {}, "come back").remarks,
              Contains(HasSubstr("booted again, come back (A/B/A): it tells")));
  EXPECT_THAT(judge_before_after(before, after, {}, "").remarks, Not(Contains(HasSubstr("A/B/A"))));
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

TEST(BeforeAfter, ACoarseClockWidensTheToleranceHereToo) {
  const auto coarse = [](std::vector<result::Run> runs) {
    for (result::Run& run : runs)
      change(run, "host/latency", [](auto& found) { found.metrics[0].resolution = 1.6e-8; });
    return runs;
  };
  // Two steps of 16 ns in 80 ns are 40%.
  const BeforeAfter judged = judge_before_after(coarse(side(1, 5)), coarse(side(50, 5, {1, 1.3, 1})));
  EXPECT_NEAR(of(judged, latency).tolerance, .4, .01);
  EXPECT_EQ(of(judged, latency).kind, VerdictKind::ok);
  EXPECT_GE(*of(judged, latency).minimum_detectable_drop, of(judged, latency).tolerance);
  baseline::Baseline before;
  before.runs = coarse(side(1, 5));
  for (const Sensitivity& row : foreseen(before))
    EXPECT_GE(row.minimum_detectable_drop, row.tolerance) << row.metric;
}

TEST(BeforeAfter, ASingleProcessASideShowsLittleAndThatIsSaid) {
  const auto single = [](std::uint64_t seed, double slow) {
    std::vector<result::Run> runs{make_run(seed, {1, slow, 1}, 1)};
    runs.front().boot_id = "b";
    return runs;
  };
  Policy policy;
  policy.tolerance = {{"host_memory", .03}};
  const BeforeAfter judged = judge_before_after(single(1, 1), single(2, 1.06), policy);
  EXPECT_EQ(of(judged, latency).kind, VerdictKind::inconclusive);
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("each is a single process")));
  EXPECT_EQ(of(judge_before_after(single(1, 1), single(2, 2), policy), latency).kind, VerdictKind::regressed);
  EXPECT_THAT(judge_before_after(side(1, 1, {}, "b"), side(2, 1, {}, "b")).remarks,
              testing::Not(Contains(HasSubstr("each is a single process"))));
}

TEST(BeforeAfter, NoAssumptionMakesATailOfOneProcessASideAFinding) {
  const auto with_tail = [](std::uint64_t seed, int processes, double slow) {
    std::vector<result::Run> runs{make_run(seed, {}, processes)};
    runs.front().boot_id = "b";
    double spread = 1;
    for (result::Process& process : runs.front().processes) {
      result::Metric tail =
          metric("latency_p99", "second", result::Direction::lower, "launch", 1e-6 * slow * (spread += .001));
      tail.statistic = "p99";
      process.samples->benchmarks.push_back(benchmark("host/call", tail));
    }
    return runs;
  };
  const std::string tail = "host/call:latency_p99";
  const BeforeAfter single = judge_before_after(with_tail(1, 1, 1), with_tail(2, 1, 3));
  EXPECT_EQ(of(single, tail).kind, VerdictKind::inconclusive);
  EXPECT_THAT(of(single, tail).reason, HasSubstr("worse than before, by one process a side"));
  EXPECT_EQ(of(judge_before_after(with_tail(1, 5, 1), with_tail(2, 5, 3)), tail).kind,
            VerdictKind::regressed);
}

/// Six bandwidths of class hbm, each so many times slower.
std::vector<result::Run> hbm_side(std::uint64_t seed, int runs, double slow, int rounds_a_boot) {
  std::vector<result::Run> out;
  for (int i = 0; i < runs; ++i) {
    std::mt19937_64 engine(seed + static_cast<std::uint64_t>(i));
    std::normal_distribution<double> normal;
    out.push_back(make_run(seed + static_cast<std::uint64_t>(i)));
    out.back().boot_id = fmt::format("boot-{}-{}", rounds_a_boot > runs ? 0 : seed, i / rounds_a_boot);
    for (result::Process& process : out.back().processes)
      for (int m = 0; m < 6; ++m)
        process.samples->benchmarks.push_back(benchmark(
            fmt::format("gpu/hbm{}", m), metric("bandwidth", "byte/second", result::Direction::higher, "hbm",
                                                3e12 * std::exp(.004 * normal(engine)) / slow)));
  }
  return out;
}

TEST(BeforeAfter, SeesAWholeClassThatIsSlowerThanNoMetricCanShow) {
  // Within one boot: no metric shows 1.8%, their mean does; from a single boot it is said and not counted.
  const BeforeAfter judged = judge_before_after(hbm_side(1, 5, 1, 9), hbm_side(50, 5, 1.018, 9));
  for (int m = 0; m < 6; ++m)
    EXPECT_NE(of(judged, fmt::format("gpu/hbm{}:bandwidth", m)).kind, VerdictKind::regressed);
  const Verdict& mean = of(judged, "class/hbm");
  EXPECT_EQ(mean.kind, VerdictKind::regressed) << mean.reason;
  EXPECT_NEAR(*mean.change, .018, .003);
  EXPECT_NEAR(*mean.baseline, 1, .002);
  EXPECT_EQ(mean.unit, "1");
  EXPECT_TRUE(mean.advisory);
  EXPECT_THAT(mean.reason, testing::ContainsRegex("geometric mean of 6 metrics: .* worse than before"));
  EXPECT_THAT(mean.reason, HasSubstr("from fewer than 3 boots a side it counts above 3.0%"));
  EXPECT_FALSE(of(judge_before_after(hbm_side(1, 5, 1, 9), hbm_side(50, 5, 1.04, 9)), "class/hbm").advisory);
}

TEST(BeforeAfter, APolicySetsTheToleranceOfAClassMeanByItsName) {
  Policy policy;
  policy.metrics = {{"class/hbm", .2, {}, ""}};
  const Verdict mean =
      of(judge_before_after(hbm_side(1, 5, 1, 9), hbm_side(50, 5, 1.04, 9), policy), "class/hbm");
  EXPECT_EQ(mean.kind, VerdictKind::ok) << mean.reason;
  EXPECT_NEAR(mean.tolerance, .2, 1e-12);
}

TEST(BeforeAfter, AHealthyClassIsNoFindingAndAnAdvisoryMetricDoesNotCountByItsClass) {
  EXPECT_EQ(of(judge_before_after(hbm_side(1, 5, 1, 9), hbm_side(50, 5, 1, 9)), "class/hbm").kind,
            VerdictKind::ok);
  const auto has_class = [](const BeforeAfter& judged) {
    return std::any_of(judged.verdicts.begin(), judged.verdicts.end(),
                       [](const Verdict& verdict) { return verdict.metric == "class/hbm"; });
  };
  Policy policy;
  policy.metrics = {{"gpu/hbm*", std::nullopt, true, "being rewritten"}};
  EXPECT_FALSE(has_class(judge_before_after(hbm_side(1, 5, 1, 9), hbm_side(50, 5, 1.1, 9), policy)));
  policy = {};
  policy.class_means = false;
  EXPECT_FALSE(has_class(judge_before_after(hbm_side(1, 5, 1, 9), hbm_side(50, 5, 1.1, 9), policy)));
}

TEST(BeforeAfter, BootsOfTheirOwnAreTheUnitOfAClassToo) {
  // Eight boots a side of one round: what boots do to a class is estimated, and 5% on all of it found.
  const BeforeAfter judged = judge_before_after(hbm_side(1, 8, 1, 1), hbm_side(50, 8, 1.05, 1));
  const Verdict& mean = of(judged, "class/hbm");
  EXPECT_EQ(mean.kind, VerdictKind::regressed) << mean.reason;
  EXPECT_FALSE(mean.advisory);
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
