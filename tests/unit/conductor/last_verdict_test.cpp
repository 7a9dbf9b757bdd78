// Which kept verdict a new one replaces.
#include "conductor/last_verdict.hpp"

#include <barrier>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "run/identity.hpp"

namespace gpugauge::conductor {
namespace {

using judge::ExitCode;

report::DeviceReport checked(ExitCode code, const std::string& profile) {
  report::DeviceReport out;
  out.label = "GPU 0";
  out.selection = "GPU-0";
  out.outcome = {code, "of a test by " + profile};
  result::Run round;
  round.boot_id = run::boot_id();
  round.profile = profile;
  out.rounds = {round};
  return out;
}

report::Report node_without_gpu() {
  report::Report out;
  out.gpu_explanation = "no driver";
  return out;
}

report::Report node_that_failed() {
  report::Report out;
  out.node.emplace_back();
  out.node.back().kind = judge::VerdictKind::failed;
  out.node.back().reason = "the policy expects 8 GPUs and 7 are usable";
  return out;
}

stack::MachineNow with_driver(const std::string& version) {
  stack::MachineNow now;
  now.driver_version = version;
  return now;
}

/// Each test has a state folder of its own.
class LastVerdict : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(state_); }
  void TearDown() override { std::filesystem::remove_all(state_); }

  /// True where the verdict was kept.
  bool keep(ExitCode code, const std::string& profile, const Narrowed& narrowed = {}) {
    return !keep_verdict(state_, checked(code, profile), narrowed, {}, now_);
  }
  void keep_node(const report::Report& report, bool all) { keep_node_verdict(state_, report, all, now_); }

  /// The sentence of the one device that is kept.
  std::string kept() const {
    const auto all = kept_verdicts(state_);
    return all.size() == 1 ? all[0].verdict.outcome.sentence : std::to_string(all.size()) + " verdicts";
  }

  stack::MachineNow now_ = with_driver("580.65.06");
  std::filesystem::path state_ =
      std::filesystem::path(::testing::TempDir()) /
      ("last_verdict_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(LastVerdict, APassOfALesserProfileLeavesAFailure) {
  EXPECT_TRUE(keep(ExitCode::regressed, "standard"));
  for (const char* lesser : {"smoke", "quick"}) {
    EXPECT_FALSE(keep(ExitCode::pass, lesser));
    EXPECT_EQ(kept(), "of a test by standard");
  }
  EXPECT_EQ(keep_verdict(state_, checked(ExitCode::pass, "smoke"), {}, {}, now_), "standard");
  EXPECT_FALSE(keep(ExitCode::inconclusive, "smoke"));
  EXPECT_TRUE(keep(ExitCode::pass, "standard"));
  EXPECT_TRUE(keep(ExitCode::regressed, "standard"));
  EXPECT_TRUE(keep(ExitCode::pass, "deep"));
  EXPECT_EQ(kept(), "of a test by deep");
  EXPECT_TRUE(keep(ExitCode::pass, "smoke")) << "a pass is replaced by whatever comes";
  EXPECT_EQ(kept(), "of a test by smoke");
}

TEST_F(LastVerdict, AFailureReplacesOneOfTheSameProfileOrALesserOne) {
  EXPECT_TRUE(keep(ExitCode::regressed, "quick"));
  EXPECT_TRUE(keep(ExitCode::regressed, "deep", {"hbm"}));
  EXPECT_FALSE(keep(ExitCode::regressed, "smoke", {"hbm"}));
  EXPECT_FALSE(keep(ExitCode::regressed, "smoke"));
  EXPECT_FALSE(keep(ExitCode::pass, "smoke")) << "what deep found was not measured again";
  EXPECT_EQ(kept(), "of a test by deep");
  EXPECT_TRUE(keep(ExitCode::pass, "deep"));
}

TEST_F(LastVerdict, WhatIsNarrowedOrCannotJudgeLeavesAFailure) {
  EXPECT_TRUE(keep(ExitCode::regressed, "quick"));
  EXPECT_FALSE(keep(ExitCode::pass, "deep", {"hbm"}));
  EXPECT_FALSE(keep(ExitCode::cannot_judge, "deep"));
  EXPECT_EQ(kept(), "of a test by quick");
}

TEST_F(LastVerdict, AFailureOfTheNodeStaysWhereNoGpuIsUsable) {
  for (const bool all : {false, true}) {
    keep_node(node_that_failed(), true);
    keep_node(node_without_gpu(), all);
    EXPECT_EQ(kept(), "failed: the policy expects 8 GPUs and 7 are usable");
  }
  keep_node({}, true);
  EXPECT_EQ(kept(), "pass: a GPU is usable");
  keep_node(node_without_gpu(), false);
  EXPECT_EQ(kept(), "no usable GPU: no driver");
}

TEST_F(LastVerdict, WithAnotherDriverNoFailureStays) {
  EXPECT_TRUE(keep(ExitCode::regressed, "standard"));
  keep_node(node_that_failed(), true);
  now_ = with_driver("580.82.07");
  EXPECT_TRUE(keep(ExitCode::pass, "smoke"));
  keep_node(node_without_gpu(), false);
  for (const judge::Kept& one : kept_verdicts(state_))
    EXPECT_NE(one.verdict.outcome.code, ExitCode::regressed) << one.verdict.device;
}

/// Which of the two reads and writes first is left to chance; half of the rounds begin with a file.
TEST_F(LastVerdict, AFailureOfTheNodeThatIsWrittenMeanwhileStays) {
  for (int round = 0; round < 50; ++round) {
    SetUp();
    if (round % 2 == 0) keep_node({}, true);
    std::barrier together(2);
    const auto check = [&](const report::Report& report) {
      together.arrive_and_wait();
      EXPECT_NO_THROW(keep_node(report, false));
    };
    {
      const std::jthread failed(check, node_that_failed());
      const std::jthread without(check, node_without_gpu());
    }
    ASSERT_EQ(kept(), "failed: the policy expects 8 GPUs and 7 are usable") << "round " << round;
  }
}

}  // namespace
}  // namespace gpugauge::conductor
