// A GPU that NVML calls lost is a failure, of the device where it is its own and of the node where it is not.
#include "judge/lost_gpu.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "result/gpu_series.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

result::Run run_of(const std::string& device, const std::vector<std::string>& lost = {}) {
  result::Run out = make_run(1);
  out.device = device;
  for (const char* const uuid : {"GPU-a", "GPU-b", "GPU-c"})
    out.telemetry.push_back({std::string("gpu:") + uuid, "power_watts", "watt", {1, 2}, {300, 310}});
  for (const std::string& uuid : lost)
    out.telemetry.push_back({"gpu:" + uuid, std::string(result::lost_series), "1", {2}, {1}});
  return out;
}

TEST(LostGpu, ItsOwnRunFails) {
  EXPECT_THAT(judge_lost_gpus(run_of("GPU-a")), IsEmpty());
  EXPECT_THAT(judge_lost_gpus(run_of("GPU-a", {"GPU-b"})), IsEmpty());
  const auto found = judge_physical(run_of("GPU-a", {"GPU-a", "GPU-b"}));
  const auto lost = std::find_if(found.begin(), found.end(),
                                 [](const Verdict& verdict) { return verdict.metric == "gpu/lost"; });
  ASSERT_NE(lost, found.end());
  EXPECT_EQ(lost->kind, VerdictKind::failed);
  EXPECT_FALSE(lost->advisory);
  EXPECT_THAT(lost->reason, HasSubstr("GPU-a was lost while this was measured"));
}

TEST(LostGpu, LinksAreOfAllGpus) {
  const auto found = judge_lost_gpus(run_of("links", {"GPU-c", "GPU-b"}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].reason, HasSubstr("GPU-b, GPU-c were lost while this was measured"));
}

TEST(LostGpu, LinksAreOfTheGpusThatTheRunNames) {
  result::Run links = run_of("links", {"GPU-a", "GPU-c"});
  links.fingerprint.device = {{"gpu.0.uuid", "GPU-a"}, {"gpu.1.uuid", "GPU-b"}};
  const auto found = judge_lost_gpus(links);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].reason, HasSubstr("GPU-a was lost"));
  const auto node = judge_lost_between({{"links", {links}}});
  ASSERT_EQ(node.size(), 1U);
  EXPECT_EQ(node[0].metric, "gpu/lost/GPU-c");
}

TEST(LostGpu, AnInstanceIsOfTheOnlyCardThatIsSeen) {
  result::Run instance = run_of("MIG-1", {"GPU-a"});
  EXPECT_THAT(judge_lost_gpus(instance), IsEmpty()) << "of three, nobody can tell which";
  EXPECT_EQ(judge_lost_between({{"MIG", {instance}}}).size(), 1U);
  std::erase_if(instance.telemetry, [](const auto& series) { return series.source != "gpu:GPU-a"; });
  EXPECT_EQ(judge_lost_gpus(instance).size(), 1U);
  EXPECT_THAT(judge_lost_between({{"MIG", {instance}}}), IsEmpty());
  // The other card answered nothing at all.
  instance.fingerprint.topology = {{"gpu.0.pci", "0000:01:00.0"}, {"gpu.1.pci", "0000:02:00.0"}};
  EXPECT_THAT(judge_lost_gpus(instance), IsEmpty());
}

TEST(LostGpu, TheNodeFailsWhereItWasLostBesideAnother) {
  EXPECT_THAT(judge_lost_between({{"GPU 0", {run_of("GPU-a")}}, {"GPU 1", {run_of("GPU-b")}}}), IsEmpty());
  // In a later round, of a GPU that was measured before and passed.
  const auto found = judge_lost_between(
      {{"GPU 0", {run_of("GPU-a")}}, {"GPU 1", {run_of("GPU-b"), run_of("GPU-b", {"GPU-a"})}}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, VerdictKind::failed);
  EXPECT_EQ(found[0].metric, "gpu/lost/GPU-a");
  EXPECT_THAT(found[0].reason, AllOf(HasSubstr("GPU-a was lost while GPU 1 was measured"), HasSubstr("Xid")));
}

TEST(LostGpu, WhatADeviceSaysOfItselfIsNotSaidTwice) {
  EXPECT_THAT(
      judge_lost_between({{"GPU 0", {run_of("GPU-a", {"GPU-a"})}}, {"GPU 1", {run_of("GPU-b", {"GPU-a"})}}}),
      IsEmpty());
}

TEST(GpuSeries, IsOfTheRunsOwnGpuOrOfTheOnlyOne) {
  result::Run run = run_of("GPU-b");
  ASSERT_NE(result::gpu_series(run, "power_watts"), nullptr);
  EXPECT_EQ(result::gpu_series(run, "power_watts")->source, "gpu:GPU-b");
  EXPECT_EQ(result::gpu_series(run, "sm_clock_hz"), nullptr);
  run.device = "MIG-1";
  EXPECT_EQ(result::gpu_series(run, "power_watts"), nullptr) << "of three, nobody can tell which";
  run.telemetry.resize(1);
  EXPECT_NE(result::gpu_series(run, "power_watts"), nullptr);
  run.device = "host";
  EXPECT_EQ(result::gpu_series(run, "power_watts"), nullptr);
}

}  // namespace
}  // namespace gpugauge::judge
