#include <gmock/gmock.h>

#include "conductor/catalogue.hpp"
#include "conductor/conductor.hpp"
#include "conductor/targets.hpp"
#include "result/error.hpp"
#include "result/pattern.hpp"

namespace gpugauge::conductor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Function>
std::string usage_error(const Function& function) {
  try {
    function();
  } catch (const result::UsageError& error) {
    return error.what();
  }
  return "";
}

Catalogue example() {
  Catalogue made;
  made.families = {{"host", "/x/host"}, {"launch", "/x/launch"}};
  made.benchmarks = {{"host/copy/one_core", "host", "host_memory", "", "", false},
                     {"host/triad/one_core", "host", "host_memory", "", "", false},
                     {"launch/enqueue", "launch", "launch", "", "", true}};
  return made;
}

stack::GpuReport two_gpus() {
  stack::GpuReport report;
  report.state = stack::GpuState::usable;
  for (const int index : {0, 1}) {
    stack::Gpu gpu;
    gpu.index = index;
    gpu.uuid = index == 0 ? "GPU-aaaaaaaa-0000" : "GPU-aaaaaaaa-1111";
    gpu.name = "NVIDIA H200";
    report.gpus.push_back(gpu);
  }
  return report;
}

TEST(Patterns, StarStandsForAnything) {
  EXPECT_TRUE(result::matches("host/*", "host/copy/one_core"));
  EXPECT_TRUE(result::matches("*one_core", "host/copy/one_core"));
  EXPECT_TRUE(result::matches("*copy*", "host/copy/one_core"));
  EXPECT_TRUE(result::matches("host/cop?/one_core", "host/copy/one_core"));
  EXPECT_FALSE(result::matches("host", "host/copy"));
  EXPECT_FALSE(result::matches("", "x"));
  EXPECT_TRUE(result::matches("**", ""));
  EXPECT_FALSE(result::matches(std::string(200, '*') + "b", std::string(5000, 'a')));
}

TEST(Choice, TheHostGetsTheFamiliesThatNeedNoGpu) {
  const Choice choice = choose(example(), false, {}, {});
  ASSERT_EQ(choice.families.size(), 1U);
  EXPECT_EQ(choice.families[0].name, "host");
  EXPECT_TRUE(choice.only.empty());
}

TEST(Choice, AGpuGetsTheOthers) {
  const Choice choice = choose(example(), true, {}, {});
  ASSERT_EQ(choice.families.size(), 1U);
  EXPECT_EQ(choice.families[0].name, "launch");
}

TEST(Choice, PatternsNarrow) {
  EXPECT_THAT(choose(example(), false, {}, {"host/t*"}).only, ElementsAre("host/triad/one_core"));
  EXPECT_THAT(choose(example(), false, {}, {"host/t*", "*"}).only,
              ElementsAre("host/copy/one_core", "host/triad/one_core"));
}

TEST(Choice, APatternThatSelectsNothingIsAnError) {
  EXPECT_THAT(usage_error([] {
                choose(example(), false, {}, {"host/*", "launch/*"});
              }),
              HasSubstr("the pattern 'launch/*' selects no benchmark of the host"));
}

TEST(Choice, AnUnknownFamilyIsAnErrorThatNamesTheKnown) {
  EXPECT_THAT(usage_error([] { choose(example(), false, {"gem"}, {}); }),
              HasSubstr("no family 'gem'; there are host, launch"));
  EXPECT_THAT(usage_error([] { choose(example(), false, {"launch"}, {}); }), HasSubstr("measures the host"));
}

TEST(Targets, AllIsEveryGpuAndNotTheHost) {
  const Targets targets = select_targets("all", two_gpus(), "X");
  ASSERT_EQ(targets.devices.size(), 2U);
  EXPECT_TRUE(targets.devices[0].gpu);
  EXPECT_TRUE(targets.gpu_wanted);
}

TEST(Targets, TakesIndexUuidAndHostOnceEach) {
  const Targets targets = select_targets("1,GPU-aaaaaaaa-1111,host,host", two_gpus(), "X");
  ASSERT_EQ(targets.devices.size(), 2U);
  EXPECT_EQ(targets.devices[0].selection, "GPU-aaaaaaaa-1111");
  EXPECT_EQ(targets.devices[1].selection, "host");
}

TEST(Targets, RefusesWhatNamesNoDevice) {
  EXPECT_THAT(usage_error([] { select_targets("7", two_gpus(), ""); }),
              HasSubstr("there is no such GPU; there are 0 (GPU-"));
  EXPECT_THAT(usage_error([] { select_targets("GPU-aaaaaaaa", two_gpus(), ""); }),
              HasSubstr("more than one"));
  EXPECT_THAT(usage_error([] { select_targets("gpu0", two_gpus(), ""); }),
              HasSubstr("give all, host, an index or a UUID"));
  EXPECT_THAT(usage_error([] { select_targets("0,,1", two_gpus(), ""); }), HasSubstr("empty name"));
  EXPECT_THAT(usage_error([] { select_targets("", two_gpus(), ""); }), HasSubstr("--device needs"));
}

TEST(Targets, WithoutAUsableGpuNoneIsChosenAndThatIsKnown) {
  const Targets targets = select_targets("all,host", {}, "X");
  ASSERT_EQ(targets.devices.size(), 1U);
  EXPECT_TRUE(targets.gpu_wanted);
  EXPECT_FALSE(targets.devices[0].gpu);
}

TEST(Targets, HostOnlyNeedsNoGpu) {
  EXPECT_TRUE(host_only("host"));
  EXPECT_FALSE(host_only("host,0"));
}

TEST(Combine, TheGravestOutcomeCounts) {
  const auto device = [](judge::ExitCode code) {
    report::DeviceReport made;
    made.label = "d";
    made.outcome.code = code;
    return made;
  };
  using judge::ExitCode;
  EXPECT_EQ(
      combine({device(ExitCode::pass), device(ExitCode::regressed), device(ExitCode::cannot_judge)}).code,
      ExitCode::regressed);
  EXPECT_EQ(combine({device(ExitCode::pass), device(ExitCode::cannot_judge)}).code, ExitCode::cannot_judge);
  EXPECT_EQ(combine({device(ExitCode::pass), device(ExitCode::inconclusive)}).code, ExitCode::inconclusive);
  EXPECT_EQ(combine({device(ExitCode::pass), device(ExitCode::pass)}).code, ExitCode::pass);
  EXPECT_EQ(combine({}).code, ExitCode::cannot_judge);
}

}  // namespace
}  // namespace gpugauge::conductor
