// Nodes to upgrade that are broken, or look so until the upgrade mends them, or cannot be read.
#include <gmock/gmock.h>

#include "unit/stack/plan/rollout_nodes.hpp"

namespace gpugauge::stack {
namespace {

using Reason = LeftOutNode::Reason;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Rollout, AFaultyNodeIsMendedFirst) {
  std::vector<RolloutNode> nodes = fleet(2);
  set(nodes[1].inventory, "driver.libcuda_version", "535.183.01");
  set(nodes[1].inventory, "cuda.init.code", "803");
  set(nodes[1].inventory, "cuda.init.name", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  const Rollout rollout = plan_of(nodes, "driver=580");
  ASSERT_EQ(rollout.left_out.size(), 1U);
  EXPECT_EQ(rollout.left_out[0].reason, Reason::faulty);
  EXPECT_THAT(rollout.left_out[0].why, HasSubstr("The doctor finds 1 failure on it: "));
  nodes[1].whole = false;  // of a lock or a run nothing of the kind can be said
  const Rollout unknown = plan_of(nodes, "driver=580");
  EXPECT_EQ(unknown.in_waves(), 2U);
  EXPECT_EQ(unknown.canary, "n000");
  EXPECT_THAT(unknown.remarks, ElementsAre(HasSubstr("Of 1 node a run or a lock is all that was given")));
}

RolloutNode old_volta(const std::string& name) {
  RolloutNode volta = a_node(name, "470.256.02", "Tesla V100-SXM2-32GB", "7.0");
  set(volta.inventory, "driver.cuda_max", "11.4");
  set(volta.inventory, "driver.kernel_module_kind", "proprietary");
  return volta;
}

TEST(Rollout, WhatThePlanItselfMendsIsNoFault) {
  const Rollout rollout = plan_of({old_volta("v1")}, "driver=580");
  EXPECT_THAT(rollout.left_out, IsEmpty());
  EXPECT_EQ(rollout.canary, "v1");
  EXPECT_THAT(rollout.why_canary, HasSubstr("the doctor finds no failure on it but what the plan mends"));
  // 550 runs CUDA up to 12.4, and what stays needs no more than a driver for CUDA 12.
  EXPECT_THAT(plan_of({old_volta("v1")}, "driver=550.163.01").left_out, IsEmpty());
  // A step within the old branch mends nothing.
  const Rollout same = plan_of({old_volta("v1")}, "driver=470.141.03");
  ASSERT_EQ(same.left_out.size(), 1U);
  EXPECT_NE(same.left_out[0].reason, Reason::there);
  EXPECT_EQ(same.in_waves(), 0U);
}

TEST(Rollout, AFaultThatThePlanLeavesIsOneBesideThoseThatItMends) {
  RolloutNode volta = old_volta("v1");
  set(volta.inventory, "cuda.init.code", "803");
  set(volta.inventory, "cuda.init.name", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  set(volta.inventory, "driver.libcuda_version", "535.183.01");
  const Rollout rollout = plan_of({volta}, "driver=580");
  ASSERT_EQ(rollout.left_out.size(), 1U);
  EXPECT_EQ(rollout.left_out[0].reason, Reason::faulty);
  EXPECT_THAT(rollout.left_out[0].why, HasSubstr("The doctor finds 1 failure on it: "));
}

TEST(Rollout, APlannedFrameworkOrToolkitIsJudgedByThePlan) {
  RolloutNode volta = old_volta("v1");
  set(volta.inventory, "framework.torch.arch_list", "sm_90");
  ASSERT_EQ(plan_of({volta}, "driver=580").count(Reason::faulty), 1U);
  EXPECT_EQ(plan_of({volta}, "driver=580,torch=2.7").count(Reason::faulty), 0U);
}

TEST(Rollout, ANodeWhoseFileTellsNothingCountsAndIsNamed) {
  std::vector<RolloutNode> nodes = fleet(2);
  nodes.push_back({"n002", {}, false, "n002.json is empty"});
  const Rollout rollout = plan_of(nodes, "driver=580");
  EXPECT_EQ(rollout.in_waves(), 2U);
  ASSERT_EQ(rollout.left_out.size(), 1U);
  EXPECT_EQ(rollout.left_out[0].node, "n002");
  EXPECT_EQ(rollout.left_out[0].reason, Reason::unknown);
  EXPECT_EQ(rollout.left_out[0].why, "n002.json is empty.");
  EXPECT_EQ(plan_of({nodes[2]}, "driver=580").waves.size(), 0U);
}

}  // namespace
}  // namespace gpugauge::stack
