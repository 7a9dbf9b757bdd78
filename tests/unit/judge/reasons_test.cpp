// The sentence beside a verdict says what the verdict rests on.
#include "judge/reasons.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace gpugauge::judge {
namespace {

Verdict within_tolerance() {
  Verdict verdict;
  verdict.kind = VerdictKind::ok;
  verdict.better = result::Direction::lower;
  verdict.metric_class = "launch";
  verdict.change = .005;
  verdict.interval = .007;
  verdict.tolerance = .1;
  verdict.rounds = 3;
  return verdict;
}

/// 1.2% worse at most: .5% and as much again, and a little more, since relative changes have no symmetric
/// interval.
GateResult within_result() {
  GateResult result;
  result.change = std::log1p(.005);
  result.half_width = std::log1p(.012) - result.change;
  return result;
}

TEST(AmountOfStep, IsOfTheScaleThatTheMetricsShare) {
  const double step = -std::log(.7);
  EXPECT_EQ(amount_of_step(step, result::Direction::higher), "30.0% less");
  EXPECT_EQ(amount_of_step(step, result::Direction::lower), "42.9% longer");
  EXPECT_EQ(amount_of_step(step, std::nullopt), "42.9% longer or 30.0% less");
  EXPECT_EQ(amount_of_step(.001, std::nullopt), "0.1% longer or less");
  EXPECT_EQ(amount_of_step(std::log(.7), result::Direction::higher), "42.9% more");
}

TEST(Reasons, AnOkSaysHowMuchWorseItIsAtMost) {
  EXPECT_EQ(explain(within_tolerance(), {}, within_result(), {}),
            "at most 1.2% worse with 95% confidence (tolerance 10.0%)");
  EXPECT_EQ(explain_class(within_tolerance(), {}, within_result(), {4, 0, "", 0, false}),
            "geometric mean of 4 metrics: at most 1.2% worse with 95% confidence (tolerance 10.0%)");
  Scale doubtful;
  doubtful.ok_confidence = .9;
  EXPECT_EQ(explain(within_tolerance(), doubtful, within_result(), {}),
            "at most 1.2% worse with 90% confidence (tolerance 10.0%)");
}

TEST(Reasons, AnOkNeverSaysMoreThanItsTolerance) {
  Verdict verdict = within_tolerance();
  verdict.better = result::Direction::higher;
  GateResult result;
  result.change = 0;
  result.half_width = -std::log1p(-.0999);  // just within; upwards it would be 11%
  verdict.change = 0;
  verdict.interval = .105;
  EXPECT_EQ(explain(verdict, {}, result, {}), "at most 10.0% worse with 95% confidence (tolerance 10.0%)");
}

TEST(Reasons, AnOkSaysThatOneProcessOfFiveLiesApart) {
  Verdict verdict = within_tolerance();
  verdict.unit = "second";
  Scale scale;
  scale.tolerance = std::log1p(.1);
  scale.process_spread = .005;
  const std::vector<RoundValues> now(
      6, {std::log(2e-6), std::log(1e-6), std::log(1.001e-6), std::log(.999e-6), std::log(1e-6)});
  EXPECT_THAT(explain(verdict, scale, within_result(), now),
              testing::HasSubstr("(tolerance 10.0%); two modes: 20% of 30 processes near "));
  const std::vector<RoundValues> even(6, RoundValues(5, std::log(1e-6)));
  EXPECT_THAT(explain(verdict, scale, within_result(), even), testing::Not(testing::HasSubstr("modes")));
}

TEST(Reasons, AFirstRoundThatIsLeftOutIsNamedWithItsChange) {
  GateResult result = within_result();
  result.left_out = std::log(1.5);
  EXPECT_EQ(
      explain(within_tolerance(), {}, result, {}),
      "at most 1.2% worse with 95% confidence (tolerance 10.0%); the first round was 50.0% worse and is "
      "left out: 2 later ones are not");
}

TEST(Reasons, ADecisionSaysHowManyRoundsBearItOut) {
  Verdict verdict = within_tolerance();
  verdict.kind = VerdictKind::regressed;
  verdict.change = .2;
  verdict.rounds = 6;
  GateResult result;
  result.change = result.typical = std::log(1.2);
  result.beyond = 4;
  EXPECT_EQ(explain(verdict, {}, result, {}),
            "20.0% worse, by more than 3.3% in 4 of 6 rounds (tolerance 10.0%)");
  verdict.kind = VerdictKind::improved;
  verdict.change = -.2;
  EXPECT_EQ(explain(verdict, {}, result, {}),
            "20.0% better, by more than 3.3% in 4 of 6 rounds: the baseline is stale, record a new one");
}

TEST(Reasons, AClassSaysHowManyOfItsMetricsMovedAndNeverEverything) {
  Verdict verdict = within_tolerance();
  verdict.metric_class = "gemm16";
  verdict.kind = VerdictKind::regressed;
  verdict.tolerance = .01;
  verdict.change = .012;
  GateResult result;
  result.beyond = 3;
  constexpr auto rates = result::Direction::higher, times = result::Direction::lower;
  verdict.better = rates;
  EXPECT_EQ(
      explain_class(verdict, {}, result, {14, 8, "a:b", .03, true, rates}),
      "1.2% less on average over 14 metrics, 8 of them by more than half of that; worse in 3 of 3 rounds "
      "(tolerance of the mean 1.0%)");
  EXPECT_EQ(explain_class(verdict, {}, result, {14, 14, "a:b", .03, true, rates}),
            "1.2% less on average in all 14 metrics; worse in 3 of 3 rounds (tolerance of the mean 1.0%)");
  verdict.kind = VerdictKind::improved;
  verdict.change = -.012;
  EXPECT_EQ(
      explain_class(verdict, {}, result, {14, 8, "a:b", -.03, true, rates}),
      "1.2% more on average over 14 metrics, 8 of them by more than half of that; better in 3 of 3 rounds: "
      "where it stays so, the baseline is stale: record a new one");
  verdict.better = times;
  EXPECT_EQ(
      explain_class(verdict, {}, result, {14, 2, "a:b", -.15, false, times}),
      "1.2% shorter on average over 14 metrics, and a:b carries it (15.0% better); better in 3 of 3 rounds: "
      "what became of that metric says whether the baseline is stale");
}

TEST(Reasons, ALargeStepOfAClassIsMoreOfATimeThanOfARate) {
  Verdict verdict = within_tolerance();
  verdict.metric_class = "hbm";
  verdict.kind = VerdictKind::regressed;
  verdict.better = result::Direction::lower;
  verdict.change = 3;  // everything takes four times as long
  GateResult result;
  result.beyond = 3;
  EXPECT_THAT(explain_class(verdict, {}, result, {6, 6, "a:b", .75, true}),
              testing::StartsWith("300.0% longer or 75.0% less on average in all 6 metrics; worse in 3 of"));
  EXPECT_THAT(explain_class(verdict, {}, result, {6, 6, "a:b", .75, true, result::Direction::lower}),
              testing::StartsWith("300.0% longer on average in all 6 metrics; worse in 3 of"));
  EXPECT_THAT(
      explain_class(verdict, {}, result, {6, 1, "a:b", .99, false}),
      testing::StartsWith("300.0% longer or 75.0% less on average over 6 metrics, and a:b carries it (99.0% "
                          "worse); worse"));
  verdict.change = .0012;
  EXPECT_THAT(explain_class(verdict, {}, result, {6, 6, "a:b", .001, true}),
              testing::StartsWith("0.1% longer or less on average in all 6 metrics"));
  verdict.kind = VerdictKind::improved;
  verdict.change = -.75;
  EXPECT_THAT(explain_class(verdict, {}, result, {6, 6, "a:b", -3, true}),
              testing::StartsWith("75.0% shorter or 300.0% more on average in all 6 metrics; better in"));
}

TEST(Reasons, ModesAreToldAsQuantities) {
  Verdict verdict = within_tolerance();
  verdict.kind = VerdictKind::unstable;
  verdict.better = result::Direction::higher;
  verdict.unit = "byte/second";
  Scale scale;
  scale.process_spread = .001;
  scale.tolerance = .03;
  const double slow = -std::log(4.12e10), fast = -std::log(5.333e10);
  const std::vector<RoundValues> now{{slow, fast, slow, fast, slow}, {slow, fast, slow, fast, fast}};
  EXPECT_THAT(explain(verdict, scale, {}, now),
              testing::HasSubstr("processes near 41.2 GB/s, the others near 53.3 GB/s"));
}

}  // namespace
}  // namespace gpugauge::judge
