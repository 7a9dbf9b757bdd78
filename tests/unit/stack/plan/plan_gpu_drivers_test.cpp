// Which drivers know a board: by the model, not by its architecture; and which kind of kernel module drives
// it.
#include <gmock/gmock.h>

#include "stack/plan/plan.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {
namespace gpu_drivers {

using testing::Contains;
using testing::HasSubstr;

struct Board {
  const char* driver;
  const char* gpu;
  Fit fit;
};

void PrintTo(const Board& board, std::ostream* out) {
  *out << board.driver << " with " << board.gpu;
}

class BoardDrivers : public testing::TestWithParam<Board> {};

TEST_P(BoardDrivers, AreThoseThatASourceNames) {
  const PlanReport report =
      plan(parse_plan(std::string("driver=") + GetParam().driver, GetParam().gpu), Inventory{}, tables());
  ASSERT_FALSE(report.pairs.empty());
  EXPECT_EQ(report.pairs.front().fit, GetParam().fit) << report.pairs.front().reason;
  EXPECT_EQ(report.outcome, GetParam().fit) << report.sentence;
}

INSTANTIATE_TEST_SUITE_P(
    Known, BoardDrivers,
    testing::Values(
        // Drivers that are older than the board, though of its architecture.
        Board{"570.26", "b200", Fit::fails}, Board{"570.124.06", "b200", Fit::fails},
        Board{"570.133.20", "b200", Fit::works}, Board{"570", "b200", Fit::works},
        Board{"575.57.08", "b300", Fit::unknown}, Board{"580.82.07", "b300", Fit::works},
        Board{"575.57.08", "gb10", Fit::unknown}, Board{"580.119.02", "gb10", Fit::works},
        Board{"520.61.05", "l4", Fit::unknown}, Board{"525.105.17", "l4", Fit::works},
        Board{"520.61.05", "l40s", Fit::unknown}, Board{"535.104.05", "l40s", Fit::works},
        Board{"525.60.13", "h200", Fit::unknown}, Board{"550.90.07", "h200", Fit::works},
        Board{"455.23", "rtx3060", Fit::unknown}, Board{"535.54.03", "rtx3060", Fit::works},
        Board{"520.61.05", "h100", Fit::works}, Board{"515.65.01", "h100", Fit::unknown},
        // A board of a later release of an older branch is not in the first of the next.
        Board{"555.42.02", "h200", Fit::unknown}, Board{"555.42.06", "h200", Fit::works},
        Board{"530.41.03", "l40s", Fit::unknown}, Board{"570.153.02", "rtx5060", Fit::unknown},
        // Far newer than the board, and than what was read.
        Board{"580.95.05", "l4", Fit::works}, Board{"595.91.07", "a40", Fit::works},
        Board{"620.70.06", "h200", Fit::works}, Board{"610.57.04", "b300", Fit::works},
        Board{"450.51.06", "a100", Fit::works}, Board{"470.256.02", "v100", Fit::works},
        Board{"580.95.05", "v100", Fit::works}, Board{"590.48.01", "v100", Fit::fails},
        Board{"580.95.05", "gtx1080ti", Fit::works}, Board{"418.40.04", "t4", Fit::works},
        // A capability alone is any of its boards.
        Board{"580.95.05", "9.0", Fit::works}, Board{"535.104.05", "9.0", Fit::unknown},
        Board{"565.57.01", "10.0", Fit::fails}));

/// The names that NVML gives.
TEST(BoardsByName, AreFoundByTheNameThatTheDriverGives) {
  const auto fit = [](const char* name, const char* capability, const char* driver) {
    Inventory inventory;
    set_all(inventory, {{"gpu.0.name", name}, {"gpu.0.compute_capability", capability}});
    return plan(parse_plan(std::string("driver=") + driver), inventory, tables()).pairs.at(0).fit;
  };
  EXPECT_EQ(fit("NVIDIA H100 80GB HBM3", "9.0", "535.54.03"), Fit::works);
  EXPECT_EQ(fit("NVIDIA H100 NVL", "9.0", "535.54.03"), Fit::unknown);
  EXPECT_EQ(fit("NVIDIA H200 NVL", "9.0", "550.90.07"), Fit::unknown);
  EXPECT_EQ(fit("NVIDIA A100-SXM4-80GB", "8.0", "535.54.03"), Fit::works);
  EXPECT_EQ(fit("Tesla V100-SXM2-16GB", "7.0", "535.54.03"), Fit::works);
  EXPECT_EQ(fit("NVIDIA GeForce RTX 4070 SUPER", "8.9", "535.54.03"), Fit::unknown);
  EXPECT_EQ(fit("NVIDIA GeForce RTX 4070", "8.9", "535.54.03"), Fit::works);
  EXPECT_EQ(fit("NVIDIA Something New", "9.0", "595.91.07"), Fit::unknown);
}

/// A board that no list names, and that its driver drives here.
TEST(BoardsByName, ALaterDriverThanTheOneThatDrivesItNowWorks) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, "NVIDIA Something New", "9.0", "700");
  set(inventory, "driver.version", "580.95.05");
  const auto outcome = [&](const char* what) { return plan(parse_plan(what), inventory, tables()).outcome; };
  EXPECT_EQ(outcome("driver=580.105.08"), Fit::works);
  EXPECT_EQ(outcome("cuda=13.0"), Fit::works) << "the driver that is there";
  EXPECT_EQ(outcome("driver=580.65.06"), Fit::unknown);
  EXPECT_EQ(outcome("driver=595.91.07"), Fit::works);
}

TEST(BoardsByName, WhatTheOwnDriverTellsOfALaterBranch) {
  const auto outcome = [](const char* name, const char* capability, const char* own, const char* what) {
    Inventory inventory = linux_with_driver();
    add_gpus(inventory, 1, name, capability, "300");
    set(inventory, "driver.version", own);
    return plan(parse_plan(what), inventory, tables()).pairs.front();
  };
  for (const auto& [name, capability] :
       std::vector<std::pair<const char*, const char*>>{{"NVIDIA A100X", "8.0"},
                                                        {"NVIDIA L40G", "8.9"},
                                                        {"NVIDIA A10M", "8.6"},
                                                        {"NVIDIA RTX A400", "8.6"},
                                                        {"NVIDIA GeForce RTX 3080 Laptop GPU", "8.6"},
                                                        {"Quadro P4000", "6.1"}}) {
    EXPECT_EQ(outcome(name, capability, "570.195.03", "driver=580.95.05").fit, Fit::works) << name;
    EXPECT_EQ(outcome(name, capability, "580.95.05", "driver=570.195.03").fit, Fit::unknown) << name;
  }
  EXPECT_EQ(outcome("Quadro P4000", "6.1", "570.195.03", "driver=590.48.01").fit, Fit::fails)
      << "its architecture ends before";
  EXPECT_EQ(outcome("NVIDIA H200", "9.0", "550.127.08", "driver=555.42.02").fit, Fit::unknown)
      << "that branch lists it later";
  EXPECT_EQ(outcome("Orin", "8.7", "540.4.0", "driver=580.95.05").fit, Fit::unknown) << "of another kind";
}

TEST(BoardsByName, AnInstanceIsOfItsBoard) {
  for (const char* const name : {"NVIDIA H200 MIG 1g.18gb", "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
                                 "NVIDIA H100 80GB HBM3 MIG 1g.10gb+me"})
    EXPECT_TRUE(gpu_model(name).has_value()) << name;
  EXPECT_EQ(gpu_model("NVIDIA H200 MIG 1g.18gb")->name, "H200");
  Inventory inventory;
  set_all(inventory, {{"gpu.0.name", "NVIDIA H200 MIG 1g.18gb"}, {"gpu.0.compute_capability", "9.0"}});
  EXPECT_EQ(plan(parse_plan("driver=580.95.05"), inventory, tables()).pairs.at(0).fit, Fit::works);
}

TEST(ModuleKinds, AreSaidWhereTheBoardLeavesNoChoice) {
  const auto said = [](const char* gpu) {
    return plan(parse_plan("driver=580.95.05", gpu), Inventory{}, tables()).assumptions;
  };
  EXPECT_THAT(said("b200"), Contains(HasSubstr("open kernel modules only")));
  EXPECT_THAT(said("rtx5090"), Contains(HasSubstr("open kernel modules only")));
  EXPECT_THAT(said("gh200"), Contains(HasSubstr("open kernel modules only")));
  EXPECT_THAT(said("v100"), Contains(HasSubstr("proprietary kernel modules only")));
  EXPECT_THAT(said("h100"), Not(Contains(HasSubstr("kernel modules"))));
}

TEST(ModuleKinds, GpusThatNeedOppositeKindsDoNotFitOneMachine) {
  const auto judged = [](const char* gpus) {
    return plan(parse_plan("driver=580.178.04", gpus), Inventory{}, tables());
  };
  const PlanReport report = judged("v100,b200");
  EXPECT_EQ(report.outcome, Fit::fails) << report.sentence;
  EXPECT_THAT(report.pairs.back().reason, HasSubstr("B200 runs on the open kernel modules only and"));
  EXPECT_EQ(judged("h100,b200").outcome, Fit::works);
  EXPECT_EQ(judged("v100,h100").outcome, Fit::works);
}

TEST(ModuleKinds, AreJudgedWhereTheMachineTellsItsOwn) {
  const auto outcome = [](const char* kind, const char* name, const char* capability) {
    Inventory inventory = linux_with_driver();
    add_gpus(inventory, 1, name, capability, "700");
    set(inventory, "driver.kernel_module_kind", kind);
    return plan(parse_plan("driver=580.105.08"), inventory, tables());
  };
  const PlanReport open = outcome("open", "Tesla V100-SXM2-16GB", "7.0");
  EXPECT_EQ(open.outcome, Fit::fails) << open.sentence;
  EXPECT_THAT(open.pairs.back().remedy, HasSubstr("proprietary"));
  EXPECT_EQ(outcome("proprietary", "NVIDIA B200", "10.0").outcome, Fit::fails);
  EXPECT_EQ(outcome("open", "NVIDIA B200", "10.0").outcome, Fit::works);
  EXPECT_EQ(outcome("proprietary", "NVIDIA H100 80GB HBM3", "9.0").outcome, Fit::works);
  EXPECT_EQ(outcome("proprietary", "Tesla V100-SXM2-16GB", "7.0").outcome, Fit::works);
}

}  // namespace gpu_drivers
}  // namespace
}  // namespace gpugauge::stack
