// The link to the host: what is below its best is said, and what copies outran is no witness.
#include "judge/link_under_load.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "one_gpu.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;

TEST(LinkUnderLoad, ALinkBelowWhatGpuAndSlotCanDoIsSaid) {
  const auto slow = judged_gpu({.h2d = 1.3e10, .generation = 3});
  EXPECT_EQ(slow.at("link/pcie").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(slow.at("link/pcie").advisory);
  EXPECT_DOUBLE_EQ(slow.at("link/pcie").share.value(), .25);
  EXPECT_THAT(slow.at("link/pcie").reason, HasSubstr("generation 3 x16 at most while copies ran, of 5 x16"));
  EXPECT_EQ(judged_gpu({.h2d = 2.6e10, .width = 8}).at("link/pcie").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(judged_gpu({.h2d = 0, .generation = 1}).contains("link/pcie"));
}

TEST(LinkUnderLoad, ALinkThatCopiesOutranIsNoWitness) {
  // NVLink-C2C, while the PCI Express link sleeps.
  const Verdict found = judged_gpu({.h2d = 3e11, .generation = 1}).at("link/pcie");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_TRUE(found.advisory);
  EXPECT_THAT(found.reason, HasSubstr("a copy of 300.0 GB/s was faster than that"));
  result::Run run = OneGpu{.h2d = 1e9, .generation = 1}.run();
  for (result::Process& process : run.processes) process.samples->context["gpu.integrated"] = "true";
  for (const Verdict& verdict : judge_physical(run)) {
    if (verdict.metric != "link/pcie") continue;
    EXPECT_TRUE(verdict.advisory);
    EXPECT_THAT(verdict.reason, HasSubstr("an integrated GPU copies within the host's memory"));
  }
}

TEST(LinkUnderLoad, AGpuWithMoreLanesThanItsSlotGivesItIsSaid) {
  const auto of_gpu = [](const char* width, const char* speed, double most, double h2d = 2.6e10) {
    result::Run run = OneGpu{.h2d = h2d, .width = most}.run();
    run.fingerprint.device["gpu.0.uuid"] = "GPU-0";
    run.fingerprint.topology["gpu.0.pcie_max_width"] = width;
    run.fingerprint.topology["gpu.0.pcie_max_speed"] = speed;
    for (result::Series& series : run.telemetry)
      if (series.name == "pcie_width_max") series.values.assign(4, most);
    for (Verdict& verdict : judge_physical(run))
      if (verdict.metric == "link/pcie") return verdict;
    throw std::runtime_error("no verdict");
  };
  const Verdict found = of_gpu("16", "32.0 GT/s PCIe", 8);
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_DOUBLE_EQ(found.share.value(), .5);
  EXPECT_THAT(
      found.reason,
      HasSubstr("generation 5 x8 at most while copies ran, of 5 x8 by NVML, but the GPU itself has 16"));
  EXPECT_TRUE(of_gpu("16", "32.0 GT/s PCIe", 8, 3e11).advisory) << "the copies went another way";
  const Verdict newer = of_gpu("16", "64.0 GT/s PCIe", 16);
  EXPECT_EQ(newer.kind, VerdictKind::inconclusive);
  EXPECT_TRUE(newer.advisory) << "an older host is none of the GPU's faults";
  EXPECT_TRUE(of_gpu("16", "32.0 GT/s PCIe", 8).may_be_meant) << "a narrow slot";
  for (const auto& [width, speed] : {std::pair("8", "32.0 GT/s PCIe"), {"255", "Unknown"}, {"unknown", ""}})
    EXPECT_EQ(of_gpu(width, speed, 8).kind, VerdictKind::ok) << width;
}

TEST(LinkUnderLoad, ACopyFarBelowItsLinkIsCountedAndFailsNothing) {
  const Verdict found = judged_gpu({.h2d = 8e9}).at("gpu/h2d:bandwidth");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_THAT(found.reason, HasSubstr("13% of the link"));
  EXPECT_EQ(judged_gpu({.h2d = 8e9, .saturating = false}).at("gpu/h2d:bandwidth").kind, VerdictKind::ok);
}

}  // namespace
}  // namespace gpugauge::judge
