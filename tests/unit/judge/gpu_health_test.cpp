// A GPU that cannot repair its memory fails however quick it is; what it does not tell is not held against it.
#include "judge/gpu_health.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// Values of series by their names.
using Told = std::map<std::string, std::vector<double>>;

const std::string reset =
    "drain the node, then reset the GPU: sudo nvidia-smi --gpu-reset -i GPU-a (refused while a program uses "
    "it); else reboot";

void tell(result::Run& run, const std::string& uuid, const Told& told) {
  run.telemetry.push_back({"gpu:" + uuid, "power_watts", "watt", {1}, {300}});
  for (const auto& [name, values] : told) {
    std::vector<double> seconds;
    for (std::size_t i = 0; i < values.size(); ++i) seconds.push_back(static_cast<double>(i));
    run.telemetry.push_back({"gpu:" + uuid, name, "1", seconds, values});
  }
}

result::Run run_of(const Told& told) {
  result::Run out = make_run(1);
  out.device = "GPU-a";
  tell(out, "GPU-a", told);
  return out;
}

/// The only verdict that there may be; nullopt where there is none.
std::optional<Verdict> found(const Told& told) {
  const std::vector<Verdict> all = judge_gpu_health(run_of(told));
  EXPECT_LE(all.size(), 1U);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::vector<std::string> names(const std::vector<Verdict>& verdicts) {
  std::vector<std::string> out;
  for (const Verdict& verdict : verdicts) out.push_back(verdict.metric);
  return out;
}

TEST(GpuHealth, ARowThatCouldNotBeRemappedFails) {
  const auto verdict = found({{"remap_failed", {1, 1}}, {"remap_pending", {1, 1}}});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->metric, "health/memory");
  EXPECT_EQ(verdict->kind, VerdictKind::failed);
  EXPECT_EQ(verdict->judge, Judge::physical);
  EXPECT_FALSE(verdict->advisory);
  EXPECT_EQ(
      verdict->reason,
      "a memory row of GPU-a could not be remapped; the spare rows are used up, or a row that was replaced failed again: the GPU "
      "can no longer repair itself and is due for replacement; take the GPU out of use and have it "
      "tested for replacement (NVIDIA's field diagnostic); see NVIDIA GPU memory error management, row "
      "remapping, https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/");
}

TEST(GpuHealth, ErrorsThatWereCountedMeanwhileFail) {
  const auto verdict = found({{"ecc_uncorrected_volatile", {4, 7}},
                              {"ecc_uncorrected_meanwhile", {3}},
                              {"remap_pending", {0, 1}},
                              {"remap_failed", {0, 0}}});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->kind, VerdictKind::failed);
  EXPECT_THAT(verdict->reason,
              AllOf(StartsWith("GPU-a met uncorrectable memory errors while it was measured, "
                               "3 by its own count: each of them ended a program or damaged "
                               "its data; "),
                    HasSubstr(reset), HasSubstr("; then check again; watch whether")));
}

TEST(GpuHealth, WhatWaitsForAResetIsInDoubt) {
  const auto rows = found({{"remap_failed", {0, 0}}, {"remap_pending", {1, 1}}});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->metric, "health/memory");
  EXPECT_EQ(rows->kind, VerdictKind::inconclusive);
  EXPECT_FALSE(rows->advisory) << "it is counted";
  EXPECT_EQ(rows->reason,
            "a memory row of GPU-a waits to be remapped at the next reset; " + reset + "; then check again");
  const auto pages = found({{"retired_pages_pending", {0, 1}}});
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages->kind, VerdictKind::inconclusive);
  EXPECT_EQ(pages->reason, "memory pages of GPU-a wait to be retired; " + reset + "; then check again");
}

TEST(GpuHealth, ErrorsFromBeforeAreInDoubt) {
  for (const std::vector<double>& count : {std::vector<double>{2}, std::vector<double>{2, 2}}) {
    const auto verdict = found({{"ecc_uncorrected_volatile", count}});
    ASSERT_TRUE(verdict) << "one sample is enough";
    EXPECT_EQ(verdict->kind, VerdictKind::inconclusive);
    EXPECT_THAT(
        verdict->reason,
        AllOf(StartsWith("GPU-a met uncorrectable memory errors since the driver was loaded, 2 by its "
                         "own count; " +
                         reset),
              HasSubstr("then check again")));
  }
}

TEST(GpuHealth, NothingIsSaidOfAHealthyGpuAndOfOneThatDoesNotTell) {
  EXPECT_FALSE(found({{"remap_failed", {0, 0}},
                      {"remap_pending", {0, 0}},
                      {"retired_pages_pending", {0, 0}},
                      {"ecc_uncorrected_volatile", {0, 0}},
                      {"ecc_uncorrected_meanwhile", {0}}}));
  EXPECT_FALSE(found({})) << "as in a run file of before";
  EXPECT_FALSE(found({{"remap_failed", {}}, {"xid", {}}})) << "as where a file's values are not kept";
  EXPECT_FALSE(found({{"remap_pending", {1, 0}}})) << "the row has been remapped since";
}

TEST(GpuHealth, AnXidAgainstTheMachineFails) {
  const auto verdict = found({{"xid", {94, 48, 94}}});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->metric, "health/xid");
  EXPECT_EQ(verdict->kind, VerdictKind::failed);
  EXPECT_EQ(
      verdict->reason,
      "the driver reported Xid 48 (an uncorrectable memory error) and 94 (a memory error, contained in "
      "one program, 2 times) of GPU-a while it was measured; look the number up in NVIDIA's Xid catalog "
      "for what to do at once and later; see NVIDIA Xid catalog (docs.nvidia.com/deploy/xid-errors)");
}

TEST(GpuHealth, AnXidSaysWhatTheDoctorWouldDo) {
  EXPECT_THAT(found({{"xid", {48, 79}}})->reason,
              HasSubstr("; drain the node, then power it off and on; see"));
  for (const double number : {64.0, 119.0, 120.0})
    EXPECT_THAT(found({{"xid", {number}}})->reason, HasSubstr(reset + "; see")) << number;
}

TEST(GpuHealth, AnXidThatIsMildOrUnknownIsInDoubt) {
  for (const double number : {63.0, 92.0, 121.0, 154.0, 155.0, 999.0, 1e300, -1.0}) {
    const auto verdict = found({{"xid", {number}}});
    ASSERT_TRUE(verdict) << number;
    EXPECT_EQ(verdict->kind, VerdictKind::inconclusive) << number;
  }
  EXPECT_THAT(found({{"xid", {999}}})->reason,
              AllOf(HasSubstr("Xid 999 (not in this build's table)"),
                    HasSubstr("look up each number that is not in this build's table before clearing")));
  EXPECT_EQ(found({{"xid", {63, 95}}})->kind, VerdictKind::failed) << "the graver counts";
}

TEST(GpuHealth, AnXidOfAProgramSaysNothing) {
  EXPECT_FALSE(found({{"xid", {13, 31, 43, 45}}}));
  EXPECT_THAT(found({{"xid", {13, 95}}})->reason, Not(HasSubstr("13")));
}

TEST(GpuHealth, IsOfTheGpusThatWereMeasured) {
  result::Run one = run_of({});
  tell(one, "GPU-b", {{"remap_failed", {1}}, {"xid", {79}}});
  EXPECT_THAT(judge_gpu_health(one), IsEmpty());
  result::Run links = one;
  links.device = "links";
  tell(links, "GPU-c", {{"remap_pending", {1}}});
  EXPECT_THAT(names(judge_gpu_health(links)),
              ElementsAre("health/memory/GPU-b", "health/xid/GPU-b", "health/memory/GPU-c"));
  links.fingerprint.device = {{"gpu.0.uuid", "GPU-a"}, {"gpu.1.uuid", "GPU-c"}};
  EXPECT_THAT(names(judge_gpu_health(links)), ElementsAre("health/memory/GPU-c"));
}

TEST(GpuHealth, TheNewestRunCountsWhateverTheOrderOfTheFiles) {
  for (const char* const fact : {"remap_pending", "retired_pages_pending", "ecc_uncorrected_volatile"}) {
    result::Run early = run_of({{fact, {0, 0}}});
    early.started = "2026-01-01T00:00:00Z";
    early.round = 2;
    result::Run late = run_of({{fact, {1, 1}}});
    late.started = "2026-01-02T00:00:00Z";
    const auto told = [](const std::vector<result::Run>& rounds) {
      const std::vector<Verdict> verdicts = judge_physical(rounds);
      return std::any_of(verdicts.begin(), verdicts.end(),
                         [](const Verdict& verdict) { return verdict.metric == "health/memory"; });
    };
    EXPECT_TRUE(told({early, late})) << fact;
    EXPECT_TRUE(told({late, early})) << fact;
    std::swap(early.started, late.started);
    EXPECT_FALSE(told({early, late})) << fact << ": repaired since";
    EXPECT_FALSE(told({late, early})) << fact << ": repaired since";
  }
}

TEST(GpuHealth, IsJudgedOfAllRoundsAndEndsWithTheExitCode) {
  const auto code = [](const std::vector<result::Run>& rounds, bool strict) {
    OutcomeInput input;
    input.verdicts = judge_physical(rounds);
    input.strict = strict;
    return outcome(input).code;
  };
  const result::Run healthy =
      run_of({{"ecc_uncorrected_volatile", {0, 0}}, {"ecc_uncorrected_meanwhile", {0}}});
  result::Run second = run_of({{"ecc_uncorrected_volatile", {0, 1}}, {"ecc_uncorrected_meanwhile", {1}}});
  second.round = 2;
  EXPECT_EQ(code({healthy, second}, false), ExitCode::regressed);
  const auto verdicts = judge_physical(std::vector<result::Run>{healthy, second});
  const auto memory = std::find_if(verdicts.begin(), verdicts.end(),
                                   [](const Verdict& verdict) { return verdict.metric == "health/memory"; });
  ASSERT_NE(memory, verdicts.end());
  EXPECT_EQ(memory->rounds, 2);

  // A count that grew between two rounds grew while nothing was measured.
  second = run_of({{"ecc_uncorrected_volatile", {1, 1}}, {"ecc_uncorrected_meanwhile", {0}}});
  second.round = 2;
  EXPECT_EQ(code({healthy, second}, true), ExitCode::inconclusive);
}

}  // namespace
}  // namespace gpugauge::judge
