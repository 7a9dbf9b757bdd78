#include "run/hangs.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "fake_family.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {
namespace {

using ::testing::HasSubstr;

TEST(Hangs, TwoOfAFamilyAreEnoughForItAndThreeInARowForAll) {
  Hangs hangs(120);
  EXPECT_EQ(hangs.why_not("a"), "");
  hangs.ended("a", true);
  EXPECT_EQ(hangs.why_not("a"), "") << "one may be a hiccup";
  hangs.ended("b", false);
  hangs.ended("a", true);
  EXPECT_EQ(hangs.why_not("a"), "not started: 2 processes of this family ran past their 120 s.");
  EXPECT_EQ(hangs.why_not("b"), "");
  hangs.ended("c", true);
  hangs.ended("d", true);
  EXPECT_EQ(hangs.why_not("b"), "not started: 3 processes in a row ran past their 120 s.");
}

TEST(Hangs, WhatIsNotStartedIsAFailedProcessWithoutAnEstimate) {
  Fakes fakes;
  Plan plan = quick_plan({fakes.family("hung", "sleep 100"), fakes.family("good", "leave")});
  plan.profile.processes = 5;
  plan.profile.limit_seconds = .2;
  plan.profile.grace_seconds = .1;
  plan.seed = 3;
  const result::Run run = execute(plan, {});
  EXPECT_NO_THROW(result::parse_run(result::to_json(run), "run"));
  EXPECT_EQ(run.processes.size(), 10U);
  const auto not_started =
      std::count_if(run.processes.begin(), run.processes.end(), [](const result::Process& process) {
        return process.family == "hung" && process.reason.starts_with("not started: ") &&
               !process.exit_code && process.status == result::Status::failed && !process.expected_seconds;
      });
  EXPECT_EQ(not_started, 3);
}

}  // namespace
}  // namespace gpugauge::run
