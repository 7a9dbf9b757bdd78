// Two sides as the command judges them: what was not measured, and what was cut short, is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conductor/conductor.hpp"
#include "unit/judge/runs.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<result::Run> side(std::uint64_t seed, int runs) {
  std::vector<result::Run> out;
  out.reserve(static_cast<std::size_t>(runs));
  for (int i = 0; i < runs; ++i) out.push_back(judge::make_run(seed + static_cast<std::uint64_t>(i)));
  return out;
}

/// A family whose library is missing, in every process.
void without_library(result::Run& run) {
  result::Process process;
  process.family = "cublas";
  process.status = result::Status::unavailable;
  process.reason = "libcublas.so.13 is not there";
  run.processes.push_back(process);
}

TEST(JudgeSides, HealthySidesPass) {
  const report::DeviceReport device = judge_sides(side(1, 5), side(50, 5), {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
}

TEST(JudgeSides, AFamilyThatWasNotMeasuredIsNoPass) {
  std::vector<result::Run> before = side(1, 5);
  std::vector<result::Run> after = side(50, 5);
  for (result::Run& run : before) without_library(run);
  for (result::Run& run : after) without_library(run);
  const report::DeviceReport device = judge_sides(before, after, {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(device.outcome.sentence, HasSubstr("cublas (libcublas.so.13 is not there)"));
}

TEST(JudgeSides, APartialRunIsNoPassOnTheNewSideAndSaidOfTheOldOne) {
  std::vector<result::Run> partial = side(1, 5);
  partial[1].complete = false;
  partial[1].partial_reason = "interrupted";
  EXPECT_EQ(judge_sides(side(50, 5), partial, {}, false).outcome.code, judge::ExitCode::cannot_judge);
  const report::DeviceReport device = judge_sides(partial, side(50, 5), {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_THAT(device.remarks, Contains(HasSubstr("1 of 5 runs before are partial")));
}

TEST(JudgeSides, AChangedStackIsNamedAndJudgedOnceItIsDeclared) {
  std::vector<result::Run> after = side(50, 5);
  for (result::Run& run : after) run.fingerprint.stack["driver.version"] = "580.1";
  const report::DeviceReport device = judge_sides(side(1, 5), after, {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(device.remarks, Contains(HasSubstr("stack.driver.version (580.1 now, absent then)")));
  judge::Policy policy;
  policy.treatment = {"driver"};
  EXPECT_EQ(judge_sides(side(1, 5), after, policy, false).outcome.code, judge::ExitCode::pass);
}

}  // namespace
}  // namespace gpugauge::conductor
