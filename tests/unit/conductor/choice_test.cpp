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
  made.families = {{"gemm", "/x/gemm"}, {"host", "/x/host"}, {"launch", "/x/launch"}};
  made.benchmarks = {{"gemm/bf16/1024", "gemm", "gemm16", "", "", true, "deep"},
                     {"gemm/bf16/8192", "gemm", "gemm16", "", "", true, "quick"},
                     {"gemm/fp8/8192", "gemm", "gemm8", "", "", true, "deep"},
                     {"host/copy/one_core", "host", "host_memory", "", "", false, "smoke"},
                     {"host/triad/one_core", "host", "host_memory", "", "", false, "smoke"},
                     {"launch/enqueue", "launch", "launch", "", "", true, "standard"},
                     {"launch/malloc", "launch", "alloc", "", "", true, "deep"}};
  return made;
}

Catalogue with_a_broken_family() {
  Catalogue made = example();
  made.problems = {"family cudnn: gpugauge-bench-cudnn ended with exit code 127"};
  made.broken = {"cudnn"};
  return made;
}

Choice choose_in(const std::string& profile, bool gpu, const std::vector<std::string>& families = {},
                 const std::vector<std::string>& words = {}) {
  return choose(example(), run::profile(profile), gpu, families, words);
}

std::vector<std::string> names(const Choice& choice) {
  std::vector<std::string> out;
  for (const run::Family& family : choice.families) out.push_back(family.name);
  return out;
}

TEST(Choice, OfAGpuHoldsTheFamiliesThatCannotSayWhatTheyMeasure) {
  const Catalogue made = with_a_broken_family();
  const auto of = [&](bool gpu, const std::vector<std::string>& families,
                      const std::vector<std::string>& words) {
    return choose(made, run::profile("deep"), gpu, families, words).unmeasured;
  };
  EXPECT_EQ(of(true, {}, {}), made.problems);
  EXPECT_EQ(of(false, {}, {}), std::vector<std::string>{}) << "most need a GPU";
  EXPECT_EQ(of(true, {"gemm"}, {}), std::vector<std::string>{}) << "not asked for";
  EXPECT_EQ(of(true, {}, {"gemm16"}), std::vector<std::string>{}) << "not asked for";
  EXPECT_EQ(usage_error([&] { of(true, {"cudnn"}, {}); }), made.problems.front());
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
  const Choice choice = choose_in("smoke", false);
  EXPECT_THAT(names(choice), ElementsAre("host"));
  EXPECT_TRUE(choice.only.empty());
  EXPECT_EQ(choice.benchmarks, 2U);
}

TEST(Choice, AGpuGetsWhatTheProfileMeasures) {
  EXPECT_THAT(names(choose_in("quick", true)), ElementsAre("gemm"));
  EXPECT_EQ(choose_in("quick", true).benchmarks, 1U);
  EXPECT_THAT(names(choose_in("standard", true)), ElementsAre("gemm", "launch"));
  EXPECT_EQ(choose_in("standard", true).benchmarks, 2U);
  EXPECT_EQ(choose_in("deep", true).benchmarks, 5U);
  EXPECT_TRUE(choose_in("deep", true).only.empty());
}

TEST(Choice, AProfileThatMeasuresNothingOfItSaysWhichDoes) {
  EXPECT_EQ(
      usage_error([] { choose_in("smoke", true); }),
      "no benchmark of the chosen families measures a GPU in the profile smoke; the profile quick measures "
      "it");
  EXPECT_THAT(usage_error([] { choose_in("quick", true, {"launch"}); }),
              HasSubstr("in the profile quick; the profile standard measures it"));
}

TEST(Choice, PatternsClassesAndFamiliesNarrow) {
  EXPECT_THAT(choose_in("smoke", false, {}, {"host/t*"}).only, ElementsAre("host/triad/one_core"));
  EXPECT_THAT(choose_in("smoke", false, {}, {"host/t*", "*"}).only,
              ElementsAre("host/copy/one_core", "host/triad/one_core"));
  const Choice by_class = choose_in("deep", true, {}, {"gemm16"});
  EXPECT_THAT(by_class.only, ElementsAre("gemm/bf16/1024", "gemm/bf16/8192"));
  EXPECT_THAT(names(by_class), ElementsAre("gemm"));
  // "launch" is a class and a family: both count.
  EXPECT_THAT(choose_in("deep", true, {}, {"launch"}).only, ElementsAre("launch/enqueue", "launch/malloc"));
  EXPECT_THAT(choose_in("standard", true, {}, {"gemm"}).only, ElementsAre("gemm/bf16/8192"));
}

TEST(Choice, AWordThatSelectsNothingIsAnErrorThatNamesTheProfileThatWould) {
  EXPECT_THAT(usage_error([] {
                choose_in("smoke", false, {}, {"host/*", "launch/*"});
              }),
              HasSubstr("'launch/*' selects no benchmark of the host in the profile smoke; `gpugauge list`"));
  EXPECT_THAT(
      usage_error([] { choose_in("standard", true, {}, {"gemm8"}); }),
      HasSubstr(
          "'gemm8' selects no benchmark of a GPU in the profile standard; the profile deep measures it;"));
  EXPECT_THAT(usage_error([] { choose_in("deep", true, {}, {"fft"}); }),
              HasSubstr("'fft' selects no benchmark of a GPU in the profile deep; `gpugauge list`"));
}

TEST(Choice, AnUnknownFamilyIsAnErrorThatNamesTheKnown) {
  EXPECT_THAT(usage_error([] { choose_in("standard", false, {"gem"}); }),
              HasSubstr("no family 'gem'; there are gemm, host, launch"));
  EXPECT_THAT(usage_error([] { choose_in("standard", false, {"launch"}); }), HasSubstr("measures the host"));
}

TEST(Choice, IsMadeForEveryDeviceBeforeAnyIsMeasured) {
  const std::vector<Target> both{{true, "GPU-1", "GPU 0"}, {false, "host", "host"}};
  const std::vector<Choice> choices = choose_for(example(), run::profile("deep"), both, {}, {});
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_THAT(names(choices[0]), ElementsAre("gemm", "launch"));
  EXPECT_THAT(names(choices[1]), ElementsAre("host"));
  EXPECT_THAT(usage_error([&] { choose_for(example(), run::profile("deep"), both, {}, {"gemm16"}); }),
              HasSubstr("'gemm16' selects no benchmark of the host"));
  EXPECT_TRUE(choose_for(example(), run::profile("deep"), {}, {}, {"nothing"}).empty());
}

TEST(Choice, EstimatesARoundFromWindowsAndAllowances) {
  const Catalogue catalogue = example();
  run::Profile profile = run::profile("standard");
  profile.cool_down_seconds = 0;
  // Two processes' starts of 1 s, two windows of 1 s with .2 s beside each, five times.
  EXPECT_NEAR(choose(catalogue, profile, true, {}, {}).round_seconds, 5 * (2 * 1.0 + 2 * 1.2), 1e-9);
  // A share cuts no window of a second, and half-second windows by half.
  Benchmark half = catalogue.benchmarks[5];
  half.window_share = .5;
  EXPECT_NEAR(round_seconds({&half}, profile), 5 * (1.0 + 1.2), 1e-9);
  profile.window_seconds = .5;
  EXPECT_NEAR(round_seconds({&half}, profile), 5 * (1.0 + .45), 1e-9);
  EXPECT_EQ(round_seconds({}, profile), 0);
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
