#include "judge/modes.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using Values = std::vector<double>;
using ::testing::HasSubstr;

TEST(TwoModes, AreFoundInThePublicExample) {
  // One public regression: five runs of what was 4.1 to 4.2 before.
  const auto modes = two_modes(Values{2.5, 2.6, 2.6, 4.0, 4.2}, .3);
  ASSERT_TRUE(modes);
  EXPECT_DOUBLE_EQ(modes->lower, 2.6);
  EXPECT_DOUBLE_EQ(modes->upper, 4.1);
  EXPECT_DOUBLE_EQ(modes->lower_share, .6);
  EXPECT_NEAR(modes->gap, 1.4, 1e-12);
}

TEST(TwoModes, AreNotFoundWhereThereIsOneOrTooLittle) {
  EXPECT_FALSE(two_modes(Values{4.1, 4.12, 4.15, 4.18, 4.2}, .3));
  EXPECT_FALSE(two_modes(Values{2.5, 4.1, 4.1, 4.2, 4.2}, .3)) << "one process is an outlier, not a mode";
  EXPECT_FALSE(two_modes(Values{1, 2, 3, 4, 5, 6, 7, 8}, .3)) << "no empty space between groups";
  EXPECT_FALSE(two_modes(Values{1, 1, 5}, .3));
  EXPECT_FALSE(two_modes(Values{2.5, 2.6, 2.6, 4.0, 4.2}, 1.5)) << "gap within what processes spread";
}

TEST(TwoModes, AreRarelySeenInOneWideMode) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  int found = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Values values;
    values.reserve(30);
    for (int i = 0; i < 30; ++i) values.push_back(normal(engine));
    found += two_modes(values, .5) ? 1 : 0;
  }
  EXPECT_LE(found, 20);
}

TEST(JudgeBaseline, NamesTheTwoModesOfAMetricInItsUnit) {
  baseline::Baseline baseline = make_baseline(10);
  for (std::size_t k = 0; k < baseline.runs.size(); ++k)
    change(baseline.runs[k], "host/triad", [k, p = 0](result::BenchmarkResult& found) mutable {
      found.metrics[0].value = 4.1e9 + 1e7 * static_cast<double>((k + static_cast<std::size_t>(p++)) % 11);
    });
  std::vector<result::Run> rounds{make_run(900), make_run(901), make_run(902)};
  for (result::Run& round : rounds)
    change(round, "host/triad", [p = 0U](result::BenchmarkResult& found) mutable {
      found.metrics[0].value = std::vector{2.5e9, 2.6e9, 2.6e9, 4.0e9, 4.2e9}[p++];
    });
  const Judgement judgement = judge_baseline(rounds, baseline);
  const auto found = std::find_if(judgement.verdicts.begin(), judgement.verdicts.end(),
                                  [](const Verdict& verdict) { return verdict.metric == triad; });
  ASSERT_NE(found, judgement.verdicts.end());
  EXPECT_EQ(found->kind, VerdictKind::regressed);
  EXPECT_THAT(found->reason,
              HasSubstr("two modes: 60% of 15 processes near 2.60 GB/s, the others near 4.10 GB/s"));
}

}  // namespace
}  // namespace gpugauge::judge
