#include "stack/plan/plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "result/error.hpp"
#include "stack/rules/driver_branch.hpp"
#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using world::v;

std::string plan_fault(const std::string& plan, const char* gpus = "", const char* driver = "",
                       const char* option = "--plan") {
  try {
    parse_plan(plan, gpus, driver, option);
  } catch (const result::UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanRequest, IsRead) {
  const PlanRequest request = parse_plan(" cuda=12.8, torch=2.8.0 ,driver=570", "h100,8.9");
  EXPECT_EQ(request.versions, (std::map<std::string, Version>{
                                  {"cuda", v("12.8")}, {"driver", v("570")}, {"torch", v("2.8.0")}}));
  ASSERT_EQ(request.gpus.size(), 2U);
  EXPECT_EQ(request.gpus[0].name, "H100");
  EXPECT_EQ(request.gpus[1].compute_capability, v("8.9"));
  EXPECT_EQ(parse_plan("cuda=13.0,gpu=b200+l4").gpus.size(), 2U);
  EXPECT_EQ(parse_plan("cuda=13.0", "", "580.65.06").versions.at("driver"), v("580.65.06"));
}

TEST(PlanRequest, EachBadInputHasItsSentence) {
  EXPECT_THAT(plan_fault(""), HasSubstr("nothing is planned"));
  EXPECT_THAT(plan_fault("  "), HasSubstr("nothing is planned"));
  EXPECT_EQ(plan_fault("cuda=12.8,,torch=2.8"), "--plan: there is nothing between two commas");
  EXPECT_EQ(plan_fault("cuda=12.8,,torch=2.8", "", "", "--to"), "--to: there is nothing between two commas");
  EXPECT_EQ(plan_fault("cuda"), "--plan: 'cuda' has no '='; write key=version");
  EXPECT_EQ(plan_fault("qt=5.1"),
            "--plan: 'qt' is no layer; known are driver, vgpu_host, cuda, gcc, clang, cudnn, nccl, python, "
            "torch, tensorflow, "
            "jax, onnxruntime, tensorrt, cupy, vllm, gpu");
  EXPECT_EQ(plan_fault("cuda=12.8,cuda=12.8"), "--plan: cuda stands twice");
  EXPECT_EQ(plan_fault("cuda=new"), "--plan: 'new' of cuda is not a version such as 12.8");
  EXPECT_EQ(plan_fault("driver=abc"), "--plan: 'abc' of driver is not a version such as 570.86.10");
  for (const std::string& key : plan_keys())
    EXPECT_THAT(plan_fault(key + "=x"), testing::Not(testing::EndsWith("such as 1.2"))) << key;
  EXPECT_EQ(plan_fault("cuda="), "--plan: '' of cuda is not a version such as 12.8");
  EXPECT_EQ(plan_fault("cuda=12."), "--plan: '12.' of cuda is not a version such as 12.8");
  EXPECT_EQ(plan_fault("cuda=12..8"), "--plan: '12..8' of cuda is not a version such as 12.8");
  EXPECT_EQ(plan_fault("cuda=99999999999.1"),
            "--plan: '99999999999.1' of cuda is not a version such as 12.8");
  EXPECT_EQ(plan_fault("cuda=12"),
            "--plan: cuda=12 names only a major version; give the minor one too, such as cuda=12.1");
  EXPECT_THAT(plan_fault("cuda=12.8,gpu=voodoo"), HasSubstr("no GPU 'voodoo' is known"));
  EXPECT_EQ(plan_fault("cuda=12.8,gpu=h100,gpu=a100"), "--plan: gpu stands twice; join models with '+'");
  EXPECT_EQ(plan_fault("cuda=12.8,gpu=h100", "a100"),
            "--gpu and gpu= in --plan both name a GPU; give one of them");
  EXPECT_EQ(plan_fault("driver=570", "", "570"),
            "--driver and driver= in --plan both name a driver; give one of them");
  EXPECT_THAT(plan_fault("c\x01uda=12.8"), HasSubstr("'c?uda' is no layer"));
  EXPECT_LT(plan_fault("x" + std::string(100000, 'x') + "=1.0").size(), 300U);
}

TEST(Plan, WorksWhenEveryPairDoes) {
  const PlanReport report =
      plan(parse_plan("cuda=12.8,torch=2.8.0,gcc=14", "h100", "570.124.06"), Inventory{}, world::tables());
  EXPECT_EQ(report.outcome, Fit::works) << report.sentence;
  EXPECT_THAT(report.limits, ElementsAre());
  EXPECT_THAT(report.assumptions, ElementsAre());
  EXPECT_EQ(report.sentence,
            "This combination works: 7 pairs looked up, each by the source beside its row in the tables.");
  ASSERT_FALSE(report.pairs.empty());
  EXPECT_EQ(report.pairs[0].first, "driver 570.124.06");
  EXPECT_EQ(report.pairs[0].second, "CUDA 12.8");
}

TEST(Plan, NamesTheDriverAsTheLimit) {
  const PlanReport limited =
      plan(parse_plan("cuda=12.8", "h100", "535.104.05"), Inventory{}, world::tables());
  EXPECT_EQ(limited.outcome, Fit::limited);
  EXPECT_THAT(limited.limits, ElementsAre("driver"));
  EXPECT_EQ(limited.sentence, "This combination works with limits; what limits it: driver.");

  const PlanReport fails = plan(parse_plan("cuda=13.0", "h100", "535.104.05"), Inventory{}, world::tables());
  EXPECT_EQ(fails.outcome, Fit::fails);
  EXPECT_THAT(fails.limits, ElementsAre("driver"));
  EXPECT_THAT(fails.pairs[0].remedy, HasSubstr("cuda-compat-13-0"));
  EXPECT_THAT(fails.steps, ElementsAre()) << "no order leads to what does not work";

  const PlanReport geforce =
      plan(parse_plan("cuda=13.0", "rtx4090", "535.104.05"), Inventory{}, world::tables());
  EXPECT_THAT(geforce.pairs[0].remedy, HasSubstr("error 804"));
}

TEST(Plan, HardwareThatCannotChangeIsNamedFirst) {
  const PlanReport report = plan(parse_plan("cuda=13.0", "v100", "570.124.06"), Inventory{}, world::tables());
  EXPECT_EQ(report.outcome, Fit::fails);
  EXPECT_THAT(report.limits, ElementsAre("gpu", "driver"));
  EXPECT_EQ(report.sentence, "This combination does not work; what would have to change: gpu, then driver.");
}

TEST(Plan, WhatTheTablesDoNotKnowIsUnknown) {
  const PlanReport report =
      plan(parse_plan("cuda=12.8,nccl=2.4.8", "h100", "580.65.06"), Inventory{}, world::tables());
  EXPECT_EQ(report.outcome, Fit::unknown);
  EXPECT_EQ(
      report.sentence,
      "Whether this combination works is unknown: nothing is known against it, and the tables do not tell of "
      "NCCL 2.4.8 with CUDA 12.");
  const PlanReport worse =
      plan(parse_plan("cuda=13.0,nccl=2.4.8", "h100", "535.104.05"), Inventory{}, world::tables());
  EXPECT_EQ(worse.outcome, Fit::fails) << "what is unknown elsewhere saves nothing";
}

TEST(Plan, TakesDriverAndGpuFromThisMachine) {
  const PlanReport report = plan(parse_plan("torch=2.8.0"), world::old_driver(), world::tables());
  EXPECT_THAT(
      report.assumptions,
      ElementsAre("The driver is the inspected machine's, 535.104.05.",
                  "The GPU is the inspected machine's, NVIDIA H100 80GB HBM3 (compute capability 9.0).",
                  "CUDA is 12.8, that of a wheel of PyTorch 2.8.0."));
  EXPECT_EQ(report.outcome, Fit::limited);
}

TEST(Plan, SaysWhatNobodyNamed) {
  const PlanReport report = plan(parse_plan("cuda=12.8"), Inventory{}, world::tables());
  EXPECT_THAT(report.assumptions,
              ElementsAre("No driver is named and none was found: nothing is said about drivers.",
                          "No GPU is named and none was found: nothing is said about GPUs."));
  EXPECT_EQ(report.outcome, Fit::unknown);
  EXPECT_THAT(report.sentence, HasSubstr("Nothing can be judged"));
}

/// Branches of every kind, as on 2026-11-21.
Tables with_branches() {
  Tables tables = world::tables();
  const Source read{"vendor's page", true};
  tables.driver_branches = {
      {610, "new feature", "2027-08", false, v("610.57.04"), "2026-08-03", v("13.3"), read},
      {595, "production", "2027-03", false, v("595.91.07"), "2026-08-03", v("13.2"), read},
      {590, "new feature", "2026-12-22", false, v("590.48.01"), "2025-12-22", v("13.1"), read},
      {580, "long-term support", "2028-06", false, v("580.178.04"), "2026-08-03", v("13.0"), read},
      {575, "new feature", "2026-06-03", true, v("575.57.08"), "2025-06-03", v("12.9"), read},
      {570, "production", "2026-02", false, v("570.211.01"), "2026-01-13", v("12.8"), read},
      {535, "long-term support", "2026-06", false, v("535.309.01"), "2026-04-28", v("12.2"), read}};
  return tables;
}

const PlanTerms production{Policy::production, "2026-11-21"};
const PlanTerms development{Policy::development, "2026-11-21"};

std::vector<std::string> causes(const PlanReport& report) {
  std::vector<std::string> out;
  out.reserve(report.findings.size());
  for (const Finding& finding : report.findings)
    out.push_back(fmt::format("{} {}", to_string(finding.severity), finding.cause));
  return out;
}

TEST(PlanPolicy, AnEndedBranchIsNeverPlannedWithoutAWord) {
  for (const PlanTerms& terms : {production, development}) {
    const PlanReport report =
        plan(parse_plan("cuda=12.8.1,driver=570.124.06", "h100"), Inventory{}, with_branches(), terms);
    EXPECT_EQ(report.outcome, Fit::works);
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings[0].cause, "driver_branch_ended") << "ended by its date";
    EXPECT_THAT(report.findings[0].next[0],
                HasSubstr("Take branch 580 (long-term support, end of life 2028-06)"));
  }
}

TEST(PlanPolicy, ANewFeatureBranchIsAWarningForProductionOnly) {
  const PlanRequest request = parse_plan("cuda=13.0.2,driver=610.57.04", "h100");
  EXPECT_THAT(causes(plan(request, Inventory{}, with_branches(), production)),
              ElementsAre("warning driver_not_long_term"));
  EXPECT_THAT(causes(plan(request, Inventory{}, with_branches(), development)), ElementsAre());
  EXPECT_THAT(
      plan(request, Inventory{}, with_branches(), production).findings[0].next[0],
      HasSubstr("Take branch 580 (long-term support, end of life 2028-06), which drives these GPUs and "
                "reaches CUDA 13.0"));
  EXPECT_EQ(plan(request, Inventory{}, with_branches(), production).outcome, Fit::works)
      << "a policy changes no outcome";
}

TEST(PlanPolicy, WithoutAGpuNothingIsSaidOfGpus) {
  const PlanReport report =
      plan(parse_plan("cuda=12.8.1,driver=570.124.06"), Inventory{}, with_branches(), development);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].next[0],
            "Take branch 580 (long-term support, end of life 2028-06), which reaches CUDA 12.8");
}

TEST(PlanPolicy, LinesOfReleasesAreNotPinned) {
  const PlanRequest loose = parse_plan("cuda=13.0,driver=580,torch=2.8,python=3.12,gcc=14", "h100");
  const PlanReport report = plan(loose, Inventory{}, with_branches(), production);
  ASSERT_THAT(causes(report), ElementsAre("warning plan_not_pinned"));
  EXPECT_THAT(report.findings[0].evidence, ElementsAre("cuda=13.0", "driver=580", "torch=2.8"));
  EXPECT_THAT(causes(plan(loose, Inventory{}, with_branches(), development)), ElementsAre());
  EXPECT_THAT(
      causes(plan(parse_plan("cuda=13.0.2", "h100", "580"), Inventory{}, with_branches(), production)),
      ElementsAre())
      << "the driver that is there is not planned";
}

TEST(PlanPolicy, TheRemedyNamesABranchThatStillGetsFixes) {
  const auto remedy = [](const char* plan_text, const char* gpu, const char* driver, const PlanTerms& terms) {
    const PlanReport report = plan(parse_plan(plan_text, gpu, driver), Inventory{}, with_branches(), terms);
    return report.pairs.at(0).remedy;
  };
  EXPECT_THAT(
      remedy("cuda=12.8.1", "h100", "535.104.05", development),
      HasSubstr("Install driver 570.26 or newer. Take branch 580 (long-term support, end of life "
                "2028-06); its newest release known to the tables is 580.178.04. Branch 570 has ended."));
  EXPECT_THAT(remedy("cuda=13.3", "h100", "580.65.06", development),
              HasSubstr("Take branch 610 (new feature"));
  EXPECT_THAT(remedy("cuda=13.3", "h100", "580.65.06", production),
              HasSubstr("The tables know no long-term or production branch that reaches it"));
  EXPECT_THAT(remedy("cuda=13.0.2", "v100", "535.104.05", development), HasSubstr("Take branch 580"));
}

TEST(PlanPolicy, ABranchThatDoesNotDriveTheGpuIsNotAdvised) {
  const Tables tables = with_branches();
  const auto advised = [&](const char* needed, const char* capability, const PlanTerms& terms) {
    const DriverBranch* const branch =
        advised_branch(tables, v(needed), {v(capability)}, terms.policy, terms.today);
    return branch == nullptr ? 0 : branch->branch;
  };
  EXPECT_EQ(advised("590", "9.0", development), 590);
  EXPECT_EQ(advised("590", "9.0", production), 595) << "no long-term one is so new";
  EXPECT_EQ(advised("590", "7.0", development), 0) << "580 is Volta's last";
  EXPECT_EQ(advised("535", "7.0", production), 580);
  EXPECT_EQ(advised("580.999.01", "9.0", development), 590) << "no known release of 580 is so new";
  EXPECT_EQ(advised("700", "9.0", development), 0);
}

TEST(Plan, CodeOfAnOlderGpuOfTheFamilyIsSaid) {
  const PlanReport report =
      plan(parse_plan("cuda=11.4", "l40s", "580.95.05"), Inventory{}, stack::tables(), development);
  EXPECT_EQ(report.outcome, Fit::works);
  EXPECT_THAT(report.assumptions, testing::Contains(HasSubstr("runs there as machine code, not tuned")));
}

TEST(PlanSteps, APlanForAnotherMachineSaysNothingOfThisOne) {
  Inventory here = world::old_driver();
  world::put_toolkit(here, "12.4");
  world::put(here, {{"topology.nvswitch", "yes"}, {"framework.torch.version", "2.6.0"}});
  const auto steps = plan_steps(parse_plan("torch=2.8.0,cuda=12.8,driver=570", "h100"), here);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[0].what, "Install the driver 570.");
  EXPECT_EQ(steps[1].layer, restart_layer);
  EXPECT_EQ(steps[2].what, "Install the CUDA toolkit 12.8.");
  for (const PlanStep& step : steps) EXPECT_EQ(step.from, "");
  const auto given = plan_steps(parse_plan("cuda=12.8", "h100", "570.124.06"), here);
  ASSERT_EQ(given.size(), 1U) << "the driver is what that machine has";
}

TEST(Plan, AGuestIsHeldAgainstItsHost) {
  const PlanReport report =
      plan(parse_plan("driver=525.60.13,vgpu_host=580", "a40"), Inventory{}, tables(), development);
  EXPECT_EQ(report.outcome, Fit::fails) << report.sentence;
  EXPECT_THAT(report.limits, ElementsAre("driver"));
  EXPECT_EQ(plan(parse_plan("driver=580.65.06,vgpu_host=19", "a40"), Inventory{}, tables()).pairs.at(0).fit,
            Fit::works);
}

TEST(PlanSteps, DriverComesFirstAndFrameworkLast) {
  Inventory inventory = world::old_driver();
  world::put_toolkit(inventory, "12.4");
  world::put(inventory, {{"topology.nvswitch", "yes"},
                         {"fabric_manager.version", "535.104.05"},
                         {"framework.torch.version", "2.6.0"}});
  const auto steps = plan_steps(parse_plan("torch=2.8.0,cuda=12.8,driver=570"), inventory);
  std::vector<std::string> layers;
  layers.reserve(steps.size());
  for (const PlanStep& step : steps) layers.push_back(step.layer);
  EXPECT_THAT(layers, ElementsAre("driver", "fabric_manager", "restart", "cuda", "torch"));
  EXPECT_EQ(steps[0].what, "Upgrade the driver from 535.104.05 to 570.");
  EXPECT_THAT(steps[1].what, testing::Not(HasSubstr("estart"))) << "one restart, after both";
  EXPECT_THAT(steps[0].why, HasSubstr("a newer driver runs what older toolkits built"));
  EXPECT_EQ(steps[3].what,
            "Install the CUDA toolkit 12.8 beside 12.4, and point PATH and LD_LIBRARY_PATH to it.");
  EXPECT_EQ(steps[4].what, "Upgrade PyTorch from 2.6.0 to 2.8.0.");
}

TEST(PlanSteps, GoingBackTakesTheDriverLast) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0");
  const auto steps = plan_steps(parse_plan("driver=535.104.05,cuda=12.2"), inventory);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].what, "Go back with the CUDA toolkit from 13.0 to 12.2.");
  EXPECT_EQ(steps[1].what, "Go back with the driver from 580.95.05 to 535.104.05.");
  EXPECT_EQ(steps[2].layer, restart_layer);
  EXPECT_THAT(steps[1].why, HasSubstr("goes back before it does"));
}

TEST(PlanSteps, TheFabricManagerGoesBackWithTheDriver) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0");
  world::put(inventory, {{"topology.nvswitch", "yes"}, {"fabric_manager.version", "580.95.05"}});
  const auto steps = plan_steps(parse_plan("driver=535.104.05,cuda=12.2"), inventory);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[3].layer, restart_layer);
  EXPECT_EQ(steps[0].layer, "cuda");
  EXPECT_EQ(steps[1].layer, "driver");
  EXPECT_EQ(steps[2].layer, "fabric_manager");
  EXPECT_THAT(steps[2].what, HasSubstr("535.104.05, in one go with the driver: stop its service before"));
  EXPECT_THAT(steps[2].what, testing::Not(HasSubstr("nvlsm")));
}

TEST(PlanSteps, SwitchesOfNvlink5AreKnownByTheManagerBesideAFabric) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"topology.nvswitch", "no"},
                         {"gpu.0.name", "NVIDIA B200"},
                         {"gpu.0.compute_capability", "10.0"},
                         {"gpu.0.fabric_state", "completed"},
                         {"fabric_manager.state", "running"},
                         {"fabric_manager.version", "580.95.05"}});
  const auto steps = plan_steps(parse_plan("driver=590.48.01"), inventory);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[1].layer, "fabric_manager");
  EXPECT_THAT(steps[1].what, HasSubstr("590.48.01, in one go with the driver"));
  EXPECT_THAT(steps[1].what, HasSubstr("Have nvlsm, which it needs with NVLink 5, installed"));
  world::put(inventory, {{"gpu.0.name", "NVIDIA GB200"}});
  EXPECT_EQ(plan_steps(parse_plan("driver=590.48.01"), inventory).size(), 2U) << "the rack's trays have it";
  world::put(inventory, {{"gpu.0.name", "NVIDIA B200"}, {"gpu.0.fabric_state", "not_supported"}});
  EXPECT_EQ(plan_steps(parse_plan("driver=590.48.01"), inventory).size(), 2U);
}

TEST(PlanSteps, NoTwoStepsAreTheLastOne) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"framework.torch.version", "2.9.0"}});
  int last = 0;
  for (const PlanStep& step : plan_steps(parse_plan("driver=535.104.05,torch=2.6.0"), inventory))
    last += step.why.starts_with("Last") ? 1 : 0;
  EXPECT_EQ(last, 1);
}

TEST(PlanSteps, WhatIsThereIsNoStep) {
  EXPECT_THAT(plan_steps(parse_plan("driver=535"), world::old_driver()), ElementsAre());
  EXPECT_EQ(plan_steps(parse_plan("cudnn=9.10"), world::old_driver()).at(0).what, "Install cuDNN 9.10.");
}

}  // namespace
}  // namespace gpugauge::stack
