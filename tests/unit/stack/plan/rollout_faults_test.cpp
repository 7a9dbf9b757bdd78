// Nodes to upgrade that are broken, or cannot be read.
#include <gmock/gmock.h>

#include "unit/stack/plan/rollout_nodes.hpp"

namespace gpugauge::stack {
namespace {

using Reason = LeftOutNode::Reason;
using testing::ElementsAre;
using testing::HasSubstr;

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
