// A planned driver against what the plan leaves on the machine.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "stack/plan/plan.hpp"
#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// "driver 570 | PyTorch that is there (CUDA 13.0) | does not work" of what stays on the machine.
std::vector<std::string> staying(const PlanReport& report) {
  std::vector<std::string> out;
  for (const PairFit& pair : report.pairs)
    if (pair.second.find("that is there") != std::string::npos)
      out.push_back(fmt::format("{} | {} | {}", pair.first, pair.second, to_string(pair.fit)));
  return out;
}

TEST(PlanStaying, AFrameworkThatStaysHasToRunOnThePlannedDriver) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"framework.torch.version", "2.9.0+cu130"},
                         {"framework.torch.build", "cuda"},
                         {"framework.torch.cuda", "13.0"}});
  const auto planned = [&](const char* text, const char* gpu = "", const char* driver = "") {
    return plan(parse_plan(text, gpu, driver), inventory, world::tables());
  };
  const PlanReport down = planned("driver=570");
  EXPECT_EQ(down.sentence, "This combination does not work; what would have to change: driver.");
  EXPECT_THAT(staying(down),
              ElementsAre("driver 570 | PyTorch 2.9.0+cu130 that is there (CUDA 13.0) | does not work"));
  EXPECT_EQ(
      down.pairs.back().remedy,
      "Install driver 580.65.06 or newer; from 580 on it runs with limits. On data-centre GPUs the package "
      "cuda-compat-13-0 is another way; which older drivers it supports is not in these tables. Or plan a "
      "build of PyTorch for an older CUDA with it (torch=...).");
  EXPECT_THAT(down.steps, ElementsAre());
  EXPECT_THAT(staying(planned("driver=610")),
              ElementsAre("driver 610 | PyTorch 2.9.0+cu130 that is there (CUDA 13.0) | works"));
  EXPECT_THAT(staying(planned("driver=570,torch=2.8.0")), ElementsAre()) << "the plan replaces it";
  EXPECT_THAT(staying(planned("driver=570", "h100")), ElementsAre()) << "another machine";
  EXPECT_THAT(staying(planned("cuda=12.8", "", "570")), ElementsAre()) << "the driver that it has";
  EXPECT_THAT(staying(planned("cuda=12.8")), ElementsAre()) << "no driver is planned";
  world::put(inventory, {{"framework.torch.build", "cpu"}});
  EXPECT_THAT(staying(planned("driver=570")), ElementsAre());
}

TEST(PlanStaying, AMajorVersionAloneIsItsFirstRelease) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"framework.jax.cuda", "13"}, {"framework.cupy.cuda", "12"}});
  const PlanReport report = plan(parse_plan("driver=550"), inventory, world::tables());
  EXPECT_THAT(staying(report), ElementsAre("driver 550 | JAX that is there (CUDA 13) | does not work",
                                           "driver 550 | CuPy that is there (CUDA 12) | works"));
}

TEST(PlanStaying, AToolkitThatStaysOnlyLimits) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0");
  const PlanReport report = plan(parse_plan("driver=570"), inventory, world::tables());
  EXPECT_EQ(report.sentence, "This combination works with limits; what limits it: driver.");
  EXPECT_THAT(staying(report),
              ElementsAre("driver 570 | the CUDA toolkit that is there (CUDA 13.0) | works with limits"));
  EXPECT_THAT(report.pairs.back().reason, HasSubstr("error 35"));
  EXPECT_THAT(report.pairs.back().remedy, HasSubstr("Or plan an older toolkit with it (cuda=...)."));
  EXPECT_THAT(staying(plan(parse_plan("driver=570,cuda=12.8"), inventory, world::tables())), ElementsAre());
}

TEST(PlanStaying, AForwardCompatibilityPackageInUseLeavesItOpen) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"framework.torch.cuda", "13.0"}, {"forward_compat.in_use", "yes"}});
  const PlanReport report = plan(parse_plan("driver=570"), inventory, world::tables());
  EXPECT_EQ(report.outcome, Fit::unknown);
  EXPECT_THAT(report.pairs.back().reason, HasSubstr("A forward-compatibility package is in use here"));
  EXPECT_EQ(plan(parse_plan("driver=580"), inventory, world::tables()).outcome, Fit::works);
}

}  // namespace
}  // namespace gpugauge::stack
