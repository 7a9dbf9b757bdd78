// A driver that is planned where the one that is there came with NVIDIA's vGPU software.
#include <gmock/gmock.h>

#include "stack/plan/rollout.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {
namespace plan_vgpu {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Inventory machine(const char* role) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, "NVIDIA A40", "8.6", "300");
  for (const char* const key :
       {"driver.version", "driver.kernel_module_version", "driver.libcuda_version", "driver.libnvml_version"})
    set(inventory, key, "570.86.15");
  if (*role != '\0') set(inventory, role, "yes");
  return inventory;
}

PlanReport planned(const Inventory& inventory, const char* what) {
  return plan(parse_plan(what), inventory, tables());
}

const PairFit* of_vgpu(const PlanReport& report) {
  for (const PairFit& pair : report.pairs)
    if (pair.second.find("vGPU") != std::string::npos) return &pair;
  return nullptr;
}

TEST(PlanVgpu, ADriverWithoutAPairingIsUnknownInAGuestAndOnAHost) {
  for (const char* const role : {"vgpu.guest", "vgpu.host"}) {
    const PlanReport report = planned(machine(role), "driver=595.91.07");
    EXPECT_EQ(report.outcome, Fit::unknown) << role << ": " << report.sentence;
    const PairFit* const pair = of_vgpu(report);
    ASSERT_NE(pair, nullptr) << role;
    EXPECT_EQ(pair->fit, Fit::unknown);
    EXPECT_THAT(report.steps, IsEmpty()) << "no order of steps leads there";
    EXPECT_THAT(pair->remedy, HasSubstr("vgpu_host=")) << role;
  }
  EXPECT_THAT(of_vgpu(planned(machine("vgpu.guest"), "driver=595.91.07"))->remedy,
              HasSubstr("others do not load for a vGPU"));
  EXPECT_THAT(of_vgpu(planned(machine("vgpu.host"), "driver=595.91.07"))->remedy,
              HasSubstr("a data-centre driver would end vGPU on this host"));
  EXPECT_EQ(planned(machine(""), "driver=595.91.07").outcome, Fit::works);
}

TEST(PlanVgpu, ALockTellsItByTheReleaseOfItsSoftware) {
  Inventory inventory = machine("");
  set(inventory, "vgpu.version", "18");
  EXPECT_EQ(planned(inventory, "driver=595.91.07").outcome, Fit::unknown);
}

TEST(PlanVgpu, APairingThatIsGivenIsJudgedAndAnotherMachineIsNotThisOne) {
  Inventory guest = machine("vgpu.guest");
  EXPECT_EQ(planned(guest, "driver=580.65.06,vgpu_host=19").outcome, Fit::works);
  EXPECT_EQ(plan(parse_plan("driver=595.91.07", "a40"), guest, tables()).outcome, Fit::works);
  EXPECT_EQ(planned(guest, "driver=570.86.15").outcome, Fit::works) << "that one is there";
  EXPECT_EQ(of_vgpu(planned(guest, "cuda=12.8")), nullptr) << "the driver stays";
  for (const char* const line : {"driver=570,cuda=12.8", "driver=570.86"}) {
    EXPECT_EQ(of_vgpu(planned(guest, line)), nullptr) << line << ": the line that is there";
    EXPECT_EQ(planned(guest, line).outcome, Fit::works) << line;
  }
  EXPECT_NE(of_vgpu(planned(guest, "driver=570.124")), nullptr);
}

TEST(PlanVgpu, NoWaveHoldsANodeOfWhichItCannotBeTold) {
  const std::vector<RolloutNode> nodes{{"guest", machine("vgpu.guest"), true},
                                       {"host", machine("vgpu.host"), true}};
  const Rollout rollout =
      roll_out(nodes, parse_plan("driver=595.91.07"), tables(), {Policy::development, "2026-01-01"});
  EXPECT_THAT(rollout.waves, IsEmpty());
  ASSERT_EQ(rollout.left_out.size(), 2U);
  for (const LeftOutNode& node : rollout.left_out) {
    EXPECT_EQ(node.reason, LeftOutNode::Reason::unknown) << node.node;
    EXPECT_THAT(node.remedy, HasSubstr("vgpu_host=")) << node.node;
  }
  EXPECT_THAT(rollout.mixtures, Contains(testing::Field(&Mixture::what, HasSubstr("vGPU releases"))));
}

}  // namespace plan_vgpu
}  // namespace
}  // namespace gpugauge::stack
