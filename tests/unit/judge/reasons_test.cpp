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

TEST(Reasons, AnOkSaysHowMuchWorseItIsAtMost) {
  EXPECT_EQ(explain(within_tolerance(), {}, {}, {}), "at most 1.2% worse (tolerance 10.0%)");
  EXPECT_EQ(explain_class(within_tolerance(), {}, {}, {4, 0, "", 0, false}),
            "geometric mean of 4 metrics: at most 1.2% worse (tolerance 10.0%)");
}

TEST(Reasons, AFirstRoundThatIsLeftOutIsNamedWithItsChange) {
  GateResult result;
  result.left_out = std::log(1.5);
  EXPECT_EQ(explain(within_tolerance(), {}, result, {}),
            "at most 1.2% worse (tolerance 10.0%); the first round was 50.0% worse and is left out: 2 later "
            "ones are not");
}

}  // namespace
}  // namespace gpugauge::judge
