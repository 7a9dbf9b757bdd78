// Many nodes: who goes first, who cannot, and what may stand side by side.
#include "stack/plan/rollout.hpp"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "unit/stack/plan/rollout_nodes.hpp"

namespace gpugauge::stack {
namespace {

using Reason = LeftOutNode::Reason;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> waves(const Rollout& rollout) {
  std::vector<std::string> out;
  for (const RolloutWave& wave : rollout.waves)
    out.push_back(fmt::format("{}: {}", wave.name, wave.nodes.size()));
  return out;
}

const Mixture* about(const Rollout& rollout, const std::string& words) {
  for (const Mixture& mixture : rollout.mixtures)
    if (mixture.what.find(words) != std::string::npos) return &mixture;
  return nullptr;
}

/// Packages are exchanged and the machine was not restarted: CUDA does not start.
TEST(Rollout, ANodeThatIsHalfwayThereIsToBeMendedFirst) {
  RolloutNode half = a_node("half", "580.65.06");
  set_all(half.inventory, {{"driver.kernel_module_version", "570.124.06"}, {"cuda.init.code", "803"}});
  const Rollout rollout = plan_of({a_node("n1"), half}, "driver=580");
  ASSERT_EQ(rollout.left_out.size(), 1U);
  EXPECT_EQ(rollout.left_out[0].reason, Reason::faulty);
  EXPECT_THAT(rollout.left_out[0].why, HasSubstr("The doctor finds"));
}

TEST(Rollout, EveryNodeIsInOneWaveAndNoWaveIsTooLarge) {
  const Rollout rollout = plan_of(fleet(40), "driver=580");
  EXPECT_THAT(rollout.left_out, IsEmpty()) << rollout.left_out.front().why;
  EXPECT_THAT(waves(rollout),
              ElementsAre("canary: 1", "wave 1: 4", "wave 2: 10", "wave 3: 10", "wave 4: 10", "wave 5: 5"));
  EXPECT_EQ(rollout.in_waves(), 40U);
  EXPECT_EQ(rollout.canary, "n000");
  EXPECT_EQ(rollout.why_canary,
            "of the largest kind (40 of 40 nodes), with every pinned fact as most of it have, and "
            "the doctor finds no failure on it");
  EXPECT_THAT(waves(plan_of(fleet(40), "driver=580", .01)), testing::SizeIs(40));
  EXPECT_THAT(waves(plan_of(fleet(1), "driver=580")), ElementsAre("canary: 1"));
}

TEST(Rollout, TheCanaryIsTypicalOfTheLargestKindAndEachOtherKindHasItsOwn) {
  std::vector<RolloutNode> nodes = fleet(6);
  set(nodes[0].inventory, "kernel.version", "6.8.0-50-generic");  // the first by name is unlike the others
  nodes.push_back(a_node("a100", "570.124.06", "NVIDIA A100-SXM4-80GB", "8.0"));
  nodes.push_back(a_node("a101", "570.124.06", "NVIDIA A100-SXM4-80GB", "8.0"));
  const Rollout rollout = plan_of(nodes, "driver=580");
  EXPECT_EQ(rollout.canary, "n001");
  ASSERT_EQ(rollout.kinds.size(), 2U);
  EXPECT_EQ(rollout.kinds[0].description, "1 x NVIDIA H100 80GB HBM3, driver 570.124.06, ubuntu 24.04");
  EXPECT_EQ(rollout.waves[1].name, "one of each other kind");
  EXPECT_THAT(rollout.waves[1].nodes, ElementsAre("a100"));
  ASSERT_EQ(rollout.steps.size(), 2U);
  EXPECT_EQ(rollout.steps.front().step.what, "Upgrade the driver from 570.124.06 to 580.");
  EXPECT_EQ(rollout.steps.front().nodes.size(), 8U) << "all kinds take it";
}

TEST(Rollout, ABranchThatHasEndedIsSaidOnce) {
  const auto causes = [](Policy policy, const char* to) {
    const Rollout rollout = roll_out(fleet(3), parse_plan(to), tables(), {policy, "2026-11-21"});
    std::vector<std::string> out;
    for (const Finding& finding : rollout.findings) out.push_back(finding.cause);
    return out;
  };
  EXPECT_THAT(causes(Policy::development, "driver=575.57.08"), ElementsAre("driver_branch_ended"));
  EXPECT_THAT(causes(Policy::development, "driver=580.95.05"), IsEmpty());
  EXPECT_THAT(causes(Policy::production, "driver=580"), ElementsAre("plan_not_pinned"));
}

TEST(Rollout, OlderGpusTakeTheWheelThatHasTheirCode) {
  RolloutNode volta = a_node("v100", "570.124.06", "Tesla V100-SXM2-32GB", "7.0");
  set(volta.inventory, "driver.kernel_module_kind", "proprietary");
  const Rollout rollout = plan_of({volta}, "driver=580.95.05,torch=2.10");
  EXPECT_THAT(rollout.left_out, IsEmpty()) << rollout.left_out.front().why;
  EXPECT_EQ(rollout.canary, "v100");
}

TEST(Rollout, AFabricManagerFollowsItsDriverForwardAndBack) {
  std::vector<RolloutNode> nodes{a_node("back", "580.95.05"), a_node("forth", "560.35.03")};
  for (RolloutNode& one : nodes) {
    set(one.inventory, "topology.nvswitch", "yes");
    set(one.inventory, "driver.cuda_max", "13.0");
  }
  // What its version is nobody knows: the steps of both nodes are worded alike, and have places of their own.
  const auto steps = rollout_steps({&nodes[0], &nodes[1]}, parse_plan("driver=570.124.06,nccl=2.26"));
  std::vector<std::string> layers;
  layers.reserve(steps.size());
  for (const RolloutStep& one : steps)
    layers.push_back(fmt::format("{} of {}", one.step.layer, fmt::join(one.nodes, " ")));
  EXPECT_THAT(layers, ElementsAre("driver of forth", "fabric_manager of forth", "restart of forth",
                                  "nccl of back forth", "driver of back", "fabric_manager of back",
                                  "restart of back"));
}

TEST(Rollout, EachStepNamesTheNodesThatTakeIt) {
  std::vector<RolloutNode> nodes = fleet(3);
  nodes.push_back(a_node("old", "535.104.05"));
  set(nodes[1].inventory, "library.nccl.0.version", "2.21.5");
  set(nodes[2].inventory, "library.nccl.0.version", "2.27.3");
  const Rollout rollout = plan_of(nodes, "driver=580,nccl=2.27.3");
  ASSERT_EQ(rollout.in_waves(), 4U);
  std::vector<std::string> steps;
  for (const RolloutStep& one : rollout.steps)
    steps.push_back(fmt::format("{} on {}", one.step.what, fmt::join(one.nodes, " ")));
  EXPECT_THAT(steps,
              ElementsAre("Upgrade the driver from 570.124.06 to 580. on n000 n001 n002",
                          "Upgrade the driver from 535.104.05 to 580. on old",
                          "Restart the machine, once all packages of the driver are in place. on n000 n001 "
                          "n002 old",
                          "Upgrade NCCL from 2.25.1 to 2.27.3. on n000 old",
                          "Upgrade NCCL from 2.21.5 to 2.27.3. on n001"));
  EXPECT_EQ(rollout.steps.back().step.why.find("at once"), std::string::npos)
      << "waves do not change all nodes at once";
}

TEST(Rollout, ADriverThatGoesBackStaysLastAmongTheStepsOfAll) {
  std::vector<RolloutNode> nodes = fleet(2);
  set_all(nodes[1].inventory, {{"driver.version", "580.65.06"},
                               {"driver.kernel_module_version", "580.65.06"},
                               {"driver.libcuda_version", "580.65.06"},
                               {"driver.libnvml_version", "580.65.06"},
                               {"driver.cuda_max", "13.0"}});
  std::vector<const RolloutNode*> all{nodes.data(), &nodes[1]};
  std::vector<std::string> steps;
  for (const RolloutStep& one : rollout_steps(all, parse_plan("driver=575,nccl=2.27.3")))
    steps.push_back(fmt::format("{} {} {}", one.step.layer, one.step.from, one.nodes.size()));
  EXPECT_THAT(steps, ElementsAre("driver 570.124.06 1", "restart  1", "nccl 2.25.1 2", "driver 580.65.06 1",
                                 "restart  1"));
}

TEST(Rollout, NoWaveOfOtherKindsIsLargerThanTheShare) {
  std::vector<RolloutNode> nodes;
  nodes.reserve(9);
  for (int kind = 0; kind < 9; ++kind)
    nodes.push_back(a_node(fmt::format("n{}", kind), fmt::format("570.{}.06", 124 + kind)));
  EXPECT_THAT(waves(plan_of(nodes, "driver=580", .34)),
              ElementsAre("canary: 1", "one of each other kind, 1 of 3: 3",
                          "one of each other kind, 2 of 3: 3", "one of each other kind, 3 of 3: 2"));
}

TEST(Rollout, AWaveSaysHowManyNodesItTakes) {
  const Rollout of_many = plan_of(fleet(40), "driver=580");
  EXPECT_THAT(of_many.waves[1].why, HasSubstr("4 nodes first: "));
  EXPECT_THAT(of_many.waves[2].why, HasSubstr("At most 25% of the nodes at once"));
  const Rollout of_few = plan_of(fleet(3), "driver=580", .1);
  EXPECT_THAT(of_few.waves[1].why, HasSubstr("1 node first: "));
  EXPECT_THAT(of_few.waves[2].why, HasSubstr("One node at once"));
}

TEST(Rollout, WhoCannotAndWhy) {
  std::vector<RolloutNode> nodes = fleet(2);
  nodes.push_back(a_node("volta", "570.124.06", "Tesla V100-SXM2-32GB", "7.0"));
  nodes.push_back(a_node("old-system"));
  set(nodes.back().inventory, "host.distribution_id", "ubuntu 20.04");
  nodes.push_back(a_node("old-libc"));
  set(nodes.back().inventory, "host.distribution_id", "gentoo");
  set(nodes.back().inventory, "host.libc", "glibc 2.17");
  nodes.push_back(a_node("there", "595.58.03"));
  set(nodes.back().inventory, "toolkit.0.version", "13.2");
  nodes.push_back({"host-only", linux_with_driver(), true});
  const Rollout rollout = plan_of(nodes, "driver=595,cuda=13.2");
  EXPECT_EQ(rollout.in_waves(), 2U);
  ASSERT_EQ(rollout.left_out.size(), 5U);
  std::map<std::string, LeftOutNode> left;
  for (const LeftOutNode& one : rollout.left_out) left[one.node] = one;
  EXPECT_EQ(left["volta"].reason, Reason::cannot);
  EXPECT_EQ(left["volta"].why,
            "driver 595 with Tesla V100-SXM2-32GB: Volta (compute capability 7.0): Driver branch 580 is the "
            "last one that drives Volta.");
  EXPECT_EQ(left["volta"].remedy, "Stay on driver branch 580, or replace the GPU.");
  EXPECT_FALSE(left["volta"].sources.empty());
  EXPECT_EQ(left["old-system"].reason, Reason::cannot);
  EXPECT_THAT(left["old-system"].why, HasSubstr("CUDA 13.2 does not list ubuntu 20.04 among its systems."));
  EXPECT_EQ(left["old-libc"].why, "CUDA 13 needs glibc 2.28 or newer. This system has 2.17.");
  EXPECT_EQ(left["there"].reason, Reason::there);
  EXPECT_EQ(left["host-only"].reason, Reason::unknown);
  EXPECT_EQ(rollout.left_out.front().reason, Reason::cannot);
  EXPECT_EQ(rollout.sentence,
            "2 of 7 nodes can take it, in 2 waves; 3 cannot, 0 to mend first, 1 cannot be told, 1 "
            "there already");
}

TEST(Rollout, ANodeWhoseFrameworkNeedsTheNewerDriverCannotGoBack) {
  std::vector<RolloutNode> nodes{a_node("n1", "580.65.06"), a_node("n2", "580.65.06")};
  set(nodes[1].inventory, "framework.torch.cuda", "13.0");
  const Rollout rollout = plan_of(nodes, "driver=570");
  EXPECT_EQ(rollout.in_waves(), 1U);
  ASSERT_EQ(rollout.left_out.size(), 1U);
  EXPECT_EQ(rollout.left_out[0].node, "n2");
  EXPECT_EQ(rollout.left_out[0].reason, Reason::cannot);
  EXPECT_EQ(
      rollout.left_out[0].why,
      "driver 570 with PyTorch that is there (CUDA 13.0): CUDA 13 programs need driver 580 or newer; on "
      "this one they end with error 35 (cudaErrorInsufficientDriver).");
}

TEST(Rollout, ProgramsOfTheNewCudaOnOldDrivers) {
  const Rollout limited = plan_of(fleet(3), "driver=575,cuda=12.9");
  const Mixture* mixture =
      about(limited, "programs of CUDA 12.9 on nodes that still have driver 570.124.06 (3 now)");
  ASSERT_NE(mixture, nullptr);
  EXPECT_EQ(mixture->fit, Fit::limited);
  EXPECT_THAT(mixture->reason, HasSubstr("minor-version compatibility"));
  EXPECT_FALSE(mixture->sources.empty());

  const Rollout refused = plan_of(fleet(3), "driver=580,cuda=13.0");
  mixture = about(refused, "programs of CUDA 13.0 on nodes that still have driver");
  ASSERT_NE(mixture, nullptr);
  EXPECT_EQ(mixture->fit, Fit::fails);
  EXPECT_THAT(mixture->reason,
              HasSubstr("On these data-centre GPUs the package cuda-compat-13-0 is another way. Keep "
                        "such jobs to nodes that are through."));
  mixture = about(refused, "by a forward-compatibility package");
  ASSERT_NE(mixture, nullptr);
  EXPECT_EQ(mixture->fit, Fit::limited);
  EXPECT_THAT(mixture->reason, HasSubstr("elsewhere initialisation answers 804"));
  EXPECT_EQ(about(limited, "by a forward-compatibility package"), nullptr);

  mixture = about(refused, "programs of CUDA 12.8, which are there now, on nodes that have driver 580");
  ASSERT_NE(mixture, nullptr);
  EXPECT_EQ(mixture->fit, Fit::works);
  EXPECT_EQ(about(refused, "one job on nodes of the old and of the new driver")->fit, Fit::unknown);
}

TEST(Rollout, NoJobMayMixVersionsOfNccl) {
  const Rollout stays = plan_of(fleet(2), "driver=580");
  EXPECT_EQ(about(stays, "NCCL 2.25.1 on all nodes")->fit, Fit::works);
  const Rollout changes = plan_of(fleet(2), "nccl=2.27");
  const Mixture* mixture = about(changes, "one job on nodes with NCCL 2.25.1 and nodes with 2.27");
  ASSERT_NE(mixture, nullptr);
  EXPECT_EQ(mixture->fit, Fit::fails);
  EXPECT_THAT(mixture->reason, HasSubstr("All ranks of a communicator need the same version of NCCL"));
  EXPECT_THAT(mixture->sources, ElementsAre(HasSubstr("NVIDIA/nccl, src/init.cc")));
  std::vector<RolloutNode> mixed = fleet(2);
  set(mixed[1].inventory, "library.nccl.0.version", "2.26.2");
  EXPECT_THAT(about(plan_of(mixed, "driver=580"), "NCCL 2.25.1, 2.26.2")->reason,
              HasSubstr("They differ already, before the upgrade."));
}

TEST(Rollout, APlannedFrameworkMayBringAnotherNccl) {
  for (const char* const plan : {"torch=2.9", "tensorflow=2.20", "torch=2.9,nccl=2.25.1"}) {
    const Rollout rollout = plan_of(fleet(2), plan);
    const Mixture* const mixture = about(rollout, "one job on nodes of before and of after");
    ASSERT_NE(mixture, nullptr) << plan;
    EXPECT_EQ(mixture->fit, Fit::unknown);
    EXPECT_THAT(mixture->reason, HasSubstr("may change NCCL"));
    EXPECT_THAT(mixture->reason, HasSubstr("Keep a job to one side."));
    EXPECT_EQ(about(rollout, "on all nodes that tell it, before and after"), nullptr) << plan;
  }
  EXPECT_NE(about(plan_of(fleet(2), "onnxruntime=1.22"), "before and after"), nullptr) << "it brings none";
}

TEST(Rollout, FabricManagersAndGuests) {
  std::vector<RolloutNode> nodes = fleet(2);
  EXPECT_EQ(about(plan_of(nodes, "driver=580"), "fabric manager"), nullptr);
  set(nodes[0].inventory, "topology.nvswitch", "yes");
  set(nodes[0].inventory, "fabric_manager.state", "running");
  set(nodes[0].inventory, "fabric_manager.version", "570.124.06");
  set(nodes[1].inventory, "vgpu.guest", "yes");
  const Rollout rollout = plan_of(nodes, "driver=580");
  EXPECT_EQ(about(rollout, "a fabric manager of another version than the driver, on the node")->fit,
            Fit::fails);
  EXPECT_EQ(about(rollout, "a guest's driver and its host's")->fit, Fit::limited);
  EXPECT_THAT(rollout.kinds.back().description, testing::EndsWith("NVSwitch"));
  set(nodes[0].inventory, "topology.nvswitch", "no");
  EXPECT_EQ(about(plan_of(nodes, "driver=580"), "fabric manager"), nullptr);
  set(nodes[0].inventory, "gpu.0.fabric_state", "completed");
  const Rollout linked = plan_of(nodes, "driver=580");
  EXPECT_NE(about(linked, "on the node with NVSwitch"), nullptr) << "switches that are no PCI function";
  EXPECT_THAT(linked.kinds.back().description, testing::EndsWith("NVSwitch"));
}

TEST(Rollout, ARunAndALockTellOfANode) {
  result::Fingerprint fingerprint;
  fingerprint.device = {{"gpu.0.name", "NVIDIA H100 80GB HBM3"},
                        {"gpu.0.compute_capability", "9.0"},
                        {"gpu.0.uuid", "GPU-x"},
                        {"gpu.count", "1"}};
  fingerprint.stack = {{"driver.version", "570.124.06"},
                       {"nccl.version", "2.25.1"},
                       {"cudnn.version", "9 (build 0123456789ab)"},
                       {"driver.libcuda_path", "/usr/lib/x"}};
  const Inventory run = inventory_of(fingerprint);
  EXPECT_EQ(run.value("driver.version"), "570.124.06");
  EXPECT_EQ(run.value("library.nccl.0.version"), "2.25.1");
  EXPECT_FALSE(run.has("library.cudnn.0.version"));
  fingerprint.stack["cudnn.version"] = "9.10.2 (build 0123456789ab)";
  EXPECT_EQ(inventory_of(fingerprint).value("library.cudnn.0.version"), "9.10.2");
  EXPECT_EQ(plan_of({{"run", run, false}}, "driver=580").in_waves(), 1U);

  const RolloutNode whole = a_node("n");
  const Inventory lock = inventory_of(make_lock(whole.inventory, "2026-01-01T00:00:00Z"));
  EXPECT_EQ(lock.value("driver.version"), "570.124.06");
  EXPECT_EQ(lock.value("gpu.0.name"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(plan_of({{"lock", lock, false}}, "driver=580").in_waves(), 1U);
}

TEST(Rollout, NothingToDo) {
  const Rollout rollout = plan_of({a_node("a", "580.65.06"), a_node("b", "580.95.05")}, "driver=580");
  EXPECT_THAT(rollout.waves, IsEmpty());
  EXPECT_EQ(rollout.canary, "");
  EXPECT_EQ(rollout.count(Reason::there), 2U);
}

}  // namespace
}  // namespace gpugauge::stack
