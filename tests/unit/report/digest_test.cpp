#include "report/digest.hpp"

#include <gtest/gtest.h>

namespace gpugauge::report {
namespace {

TEST(OutcomeWord, APassThatLeavesSuspectsIsCalledSo) {
  EXPECT_EQ(outcome_word({judge::ExitCode::pass, "pass: 12 of 12 nodes", true}), "pass");
  EXPECT_EQ(outcome_word({judge::ExitCode::pass, "pass so far: 11 of 12 nodes", false}), "pass so far");
}

TEST(OutcomeWord, SaysWhatEndedWithOne) {
  const auto word = [](std::optional<judge::VerdictKind> found) {
    return outcome_word({judge::ExitCode::regressed, "failed: in words that say nothing here", true, found});
  };
  EXPECT_EQ(word(judge::VerdictKind::failed), "failed");
  EXPECT_EQ(word(judge::VerdictKind::regressed), "regressed");
  EXPECT_EQ(word(judge::VerdictKind::missing), "missing");
  EXPECT_EQ(word(std::nullopt), "finding");
  EXPECT_EQ(outcome_word({judge::ExitCode::cannot_judge, "cannot judge: nothing could be decided", false}),
            "cannot judge");
}

}  // namespace
}  // namespace gpugauge::report
