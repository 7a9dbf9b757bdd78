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
  EXPECT_EQ(
      explain_class(verdict, {}, result, {14, 8, "a:b", .03, true}),
      "8 of 14 metrics of class gemm16 are worse by more than 0.6%, the mean of all by 1.2%, by more than "
      "0.3% in 3 of 3 rounds (tolerance of the mean 1.0%)");
  verdict.kind = VerdictKind::improved;
  verdict.change = -.012;
  EXPECT_EQ(
      explain_class(verdict, {}, result, {14, 8, "a:b", -.03, true}),
      "8 of 14 metrics of class gemm16 are better by more than 0.6%, the mean of all by 1.2%, by more than "
      "0.3% in 3 of 3 rounds: where it stays so, the baseline is stale: record a new one");
  EXPECT_EQ(
      explain_class(verdict, {}, result, {14, 2, "a:b", -.15, false}),
      "class gemm16 is 1.2% better on average, and a:b carries it (15.0% better), by more than 0.3% in 3 of "
      "3 rounds: what became of that metric says whether the baseline is stale");
}

}  // namespace
}  // namespace gpugauge::judge
