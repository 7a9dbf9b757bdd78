#include "report/digest.hpp"

#include <gtest/gtest.h>

namespace gpugauge::report {
namespace {

TEST(OutcomeWord, APassThatLeavesSuspectsIsCalledSo) {
  EXPECT_EQ(outcome_word({judge::ExitCode::pass, "pass: 12 of 12 nodes", true}), "pass");
  EXPECT_EQ(outcome_word({judge::ExitCode::pass, "pass so far: 11 of 12 nodes", false}), "pass so far");
}

TEST(OutcomeWord, SaysWhatEndedWithOne) {
  EXPECT_EQ(outcome_word({judge::ExitCode::regressed, "missing: 1 of 4 metrics (a)"}), "missing");
  EXPECT_EQ(outcome_word({judge::ExitCode::cannot_judge, "cannot judge: nothing could be decided", false}),
            "cannot judge");
}

}  // namespace
}  // namespace gpugauge::report
