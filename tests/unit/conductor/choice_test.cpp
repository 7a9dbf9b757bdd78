#include <fmt/format.h>
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
  made.families = {{"gemm", "/x/gemm"}, {"host", "/x/host"}, {"launch", "/x/launch"}, {"nccl", "/x/nccl"}};
  made.benchmarks = {{"gemm/bf16/1024", "gemm", "gemm16", "", "", DeviceKind::gpu, "deep"},
                     {"gemm/bf16/8192", "gemm", "gemm16", "", "", DeviceKind::gpu, "quick"},
                     {"gemm/fp8/8192", "gemm", "gemm8", "", "", DeviceKind::gpu, "deep"},
                     {"host/copy/one_core", "host", "host_memory", "", "", DeviceKind::host, "smoke"},
                     {"host/triad/one_core", "host", "host_memory", "", "", DeviceKind::host, "smoke"},
                     {"launch/enqueue", "launch", "launch", "", "", DeviceKind::gpu, "standard"},
                     {"launch/malloc", "launch", "alloc", "", "", DeviceKind::gpu, "deep"},
                     {"nccl/all_reduce/8B", "nccl", "coll_small", "", "", DeviceKind::links, "standard"}};
  return made;
}

Catalogue with_a_broken_family() {
  Catalogue made = example();
  made.silent = {{"cudnn", "gpugauge-bench-cudnn ended with exit code 127"}};
  return made;
}

Choice choose_in(const std::string& profile, DeviceKind kind, const std::vector<std::string>& families = {},
                 const std::vector<std::string>& words = {}) {
  return choose(example(), run::profile(profile), kind, families, words);
}

std::vector<std::string> names(const Choice& choice) {
  std::vector<std::string> out;
  for (const run::Family& family : choice.families) out.push_back(family.name);
  return out;
}

TEST(Choice, OfAGpuHoldsTheFamiliesThatCannotSayWhatTheyMeasure) {
  const Catalogue made = with_a_broken_family();
  const auto of = [&](DeviceKind kind, const std::vector<std::string>& families,
                      const std::vector<std::string>& words) {
    return choose(made, run::profile("deep"), kind, families, words).unmeasured;
  };
  EXPECT_EQ(of(DeviceKind::gpu, {}, {}), made.silent);
  EXPECT_EQ(of(DeviceKind::host, {}, {}), std::vector<SilentFamily>{}) << "most need a GPU";
  EXPECT_EQ(of(DeviceKind::gpu, {"gemm"}, {}), std::vector<SilentFamily>{}) << "not asked for";
  EXPECT_EQ(of(DeviceKind::gpu, {}, {"gemm16"}), std::vector<SilentFamily>{}) << "not asked for";
  EXPECT_EQ(usage_error([&] { of(DeviceKind::host, {"cudnn"}, {}); }),
            "family cudnn: gpugauge-bench-cudnn ended with exit code 127");
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

TEST(Choice, ASilentFamilyThatIsAskedForIsUnmeasuredAndMeasuresNothingElse) {
  const Catalogue made = with_a_broken_family();
  const auto of = [&](const std::vector<std::string>& families, const std::vector<std::string>& words) {
    const Choice choice = choose(made, run::profile("standard"), DeviceKind::gpu, families, words);
    std::string out = choice.unmeasured == made.silent ? "cudnn;" : ";";
    for (const std::string& name : names(choice)) out += " " + name;
    return out;
  };
  EXPECT_EQ(of({"cudnn"}, {}), "cudnn;");
  EXPECT_EQ(of({}, {"cudnn"}), "cudnn;");
  EXPECT_EQ(of({}, {"cudnn/conv/*"}), "cudnn;");
  EXPECT_EQ(of({}, {"conv"}), "cudnn;") << "no other family has this class";
  EXPECT_EQ(of({"cudnn", "gemm"}, {}), "cudnn; gemm");
  EXPECT_EQ(of({"launch"}, {}), "; launch") << "a family by this name, and a class";
  EXPECT_THAT(usage_error([&] { of({"conv"}, {}); }), HasSubstr("there is no family 'conv'"));
  EXPECT_THAT(usage_error([&] { of({"cud*"}, {}); }), HasSubstr("there is no family 'cud*'"));
  EXPECT_EQ(of({}, {"cudnn", "launch"}), "cudnn; launch");
  EXPECT_THAT(usage_error([&] { of({}, {"gemm8"}); }), HasSubstr("the profile deep measures it"));
  EXPECT_THAT(usage_error([&] { of({}, {"nothing"}); }), HasSubstr("'nothing' selects no benchmark"));

  const std::vector<Target> all = select_targets("all", two_gpus(), "").devices;
  const auto for_all = [&](const std::vector<std::string>& words) {
    std::string out;
    for (const Chosen& one : choose_for(made, run::profile("standard"), all, {}, words))
      out +=
          fmt::format("{}:{}:{} ", one.target.selection, one.choice.benchmarks, one.choice.unmeasured.size());
    return out;
  };
  EXPECT_EQ(for_all({"cudnn"}), "GPU-aaaaaaaa-0000:0:1 ");
  EXPECT_EQ(for_all({"cudnn", "launch"}), "GPU-aaaaaaaa-0000:1:1 GPU-aaaaaaaa-1111:1:0 ");
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
  const Choice choice = choose_in("smoke", DeviceKind::host);
  EXPECT_THAT(names(choice), ElementsAre("host"));
  EXPECT_TRUE(choice.only.empty());
  EXPECT_EQ(choice.benchmarks, 2U);
}

TEST(Choice, AGpuGetsWhatTheProfileMeasures) {
  EXPECT_THAT(names(choose_in("quick", DeviceKind::gpu)), ElementsAre("gemm"));
  EXPECT_EQ(choose_in("quick", DeviceKind::gpu).benchmarks, 1U);
  EXPECT_THAT(names(choose_in("standard", DeviceKind::gpu)), ElementsAre("gemm", "launch"));
  EXPECT_EQ(choose_in("standard", DeviceKind::gpu).benchmarks, 2U);
  EXPECT_EQ(choose_in("deep", DeviceKind::gpu).benchmarks, 5U);
  EXPECT_TRUE(choose_in("deep", DeviceKind::gpu).only.empty());
}

TEST(Choice, AProfileThatMeasuresNothingOfItSaysWhichDoes) {
  EXPECT_EQ(
      usage_error([] { choose_in("smoke", DeviceKind::gpu); }),
      "no benchmark of the chosen families measures a GPU in the profile smoke; the profile quick measures "
      "it");
  EXPECT_THAT(usage_error([] { choose_in("quick", DeviceKind::gpu, {"launch"}); }),
              HasSubstr("in the profile quick; the profile standard measures it"));
}

TEST(Choice, PatternsClassesAndFamiliesNarrow) {
  EXPECT_THAT(choose_in("smoke", DeviceKind::host, {}, {"host/t*"}).only, ElementsAre("host/triad/one_core"));
  EXPECT_THAT(choose_in("smoke", DeviceKind::host, {}, {"host/t*", "*"}).only,
              ElementsAre("host/copy/one_core", "host/triad/one_core"));
  const Choice by_class = choose_in("deep", DeviceKind::gpu, {}, {"gemm16"});
  EXPECT_THAT(by_class.only, ElementsAre("gemm/bf16/1024", "gemm/bf16/8192"));
  EXPECT_THAT(names(by_class), ElementsAre("gemm"));
  // "launch" is a class and a family: both count.
  EXPECT_THAT(choose_in("deep", DeviceKind::gpu, {}, {"launch"}).only,
              ElementsAre("launch/enqueue", "launch/malloc"));
  EXPECT_THAT(choose_in("standard", DeviceKind::gpu, {}, {"gemm"}).only, ElementsAre("gemm/bf16/8192"));
}

TEST(Choice, FamiliesThatNarrowSayWhatIsAskedFor) {
  EXPECT_THAT(choose_in("deep", DeviceKind::gpu, {"launch"}).only,
              ElementsAre("launch/enqueue", "launch/malloc"));
  EXPECT_THAT(choose_in("deep", DeviceKind::gpu, {"gemm", "launch"}).only, ElementsAre())
      << "all that there is";
  EXPECT_THAT(choose_in("smoke", DeviceKind::host, {"host"}).only, ElementsAre());
  EXPECT_THAT(choose(with_a_broken_family(), run::profile("quick"), DeviceKind::gpu, {"gemm"}, {}).only,
              ElementsAre("gemm/bf16/8192"))
      << "of one that cannot say what it measures nobody asked either";
}

TEST(Choice, AWordThatSelectsNothingIsAnErrorThatNamesTheProfileThatWould) {
  EXPECT_THAT(usage_error([] {
                choose_in("smoke", DeviceKind::host, {}, {"host/*", "launch/*"});
              }),
              HasSubstr("'launch/*' selects no benchmark of the host in the profile smoke; `gpugauge list`"));
  EXPECT_THAT(
      usage_error([] { choose_in("standard", DeviceKind::gpu, {}, {"gemm8"}); }),
      HasSubstr(
          "'gemm8' selects no benchmark of a GPU in the profile standard; the profile deep measures it;"));
  EXPECT_THAT(usage_error([] { choose_in("deep", DeviceKind::gpu, {}, {"fft"}); }),
              HasSubstr("'fft' selects no benchmark of a GPU in the profile deep; `gpugauge list`"));
}

TEST(Choice, AWordThatSelectsNothingIsToldWhatIsNearToIt) {
  EXPECT_THAT(usage_error([] { choose_in("deep", DeviceKind::gpu, {}, {"gemm/bf16"}); }),
              HasSubstr("'gemm/bf16' selects no benchmark of a GPU in the profile deep; near to it: "
                        "gemm/bf16*; `gpugauge list`"));
  EXPECT_THAT(usage_error([] { choose_in("deep", DeviceKind::gpu, {}, {"lunch"}); }),
              HasSubstr("; near to it: launch; "));
}

TEST(Choice, AnUnknownFamilyIsAnErrorThatNamesTheKnown) {
  EXPECT_THAT(usage_error([] { choose_in("standard", DeviceKind::host, {"gem"}); }),
              HasSubstr("no family 'gem'; there are gemm, host, launch, nccl"));
  EXPECT_THAT(usage_error([] { choose_in("standard", DeviceKind::host, {"launch"}); }),
              HasSubstr("measures the host"));
}

TEST(Choice, IsMadeForEveryDeviceBeforeAnyIsMeasured) {
  const std::vector<Target> both{{DeviceKind::gpu, "GPU-1", "GPU 0"}, {DeviceKind::host, "host", "host"}};
  const std::vector<Chosen> choices = choose_for(example(), run::profile("deep"), both, {}, {});
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_THAT(names(choices[0].choice), ElementsAre("gemm", "launch"));
  EXPECT_THAT(names(choices[1].choice), ElementsAre("host"));
  EXPECT_THAT(usage_error([&] { choose_for(example(), run::profile("deep"), both, {}, {"gemm16"}); }),
              HasSubstr("'gemm16' selects no benchmark of the host"));
  EXPECT_TRUE(choose_for(example(), run::profile("deep"), {}, {}, {"nothing"}).empty());
}

TEST(Choice, OfAllDevicesTakesWhatEachKindHas) {
  const std::vector<Target> all = select_targets("all", two_gpus(), "").devices;
  const auto chosen = [&](const std::string& profile, const std::vector<std::string>& words) {
    std::string out;
    for (const Chosen& one : choose_for(example(), run::profile(profile), all, {}, words))
      out += fmt::format("{}:{} ", one.target.selection, one.choice.benchmarks);
    return out;
  };
  EXPECT_EQ(chosen("standard", {}), "GPU-aaaaaaaa-0000:2 GPU-aaaaaaaa-1111:2 links:1 ");
  EXPECT_EQ(chosen("quick", {}), "GPU-aaaaaaaa-0000:1 GPU-aaaaaaaa-1111:1 ")
      << "nothing of the links in quick";
  EXPECT_EQ(chosen("standard", {"coll_small"}), "links:1 ");
  EXPECT_EQ(chosen("standard", {"launch"}), "GPU-aaaaaaaa-0000:1 GPU-aaaaaaaa-1111:1 ");
  EXPECT_EQ(chosen("standard", {"launch", "nccl"}), "GPU-aaaaaaaa-0000:1 GPU-aaaaaaaa-1111:1 links:1 ");
  EXPECT_THAT(usage_error([&] {
                chosen("standard", {"launch", "fft"});
              }),
              HasSubstr("'fft' selects no benchmark of a GPU"));
  EXPECT_THAT(usage_error([&] { chosen("smoke", {}); }), HasSubstr("measures a GPU in the profile smoke"));
  EXPECT_THAT(usage_error([&] { chosen("quick", {"coll_small"}); }),
              HasSubstr("'coll_small' selects no benchmark"));
}

run::Profile example_profile() {
  run::Profile profile = run::profile("standard");
  profile.pause_seconds = .1;
  profile.device_window_seconds = .25;
  profile.mean_window_seconds = 1;
  return profile;
}

TEST(Choice, EstimatesARoundFromProcessesWindowsAndWhatStandsBesideThem) {
  Catalogue catalogue = example();
  catalogue.start_seconds = {{"gemm", 1.5}, {"launch", .5}};
  for (Benchmark& benchmark : catalogue.benchmarks) benchmark.beside_seconds = .2;
  const Choice choice = choose(catalogue, example_profile(), DeviceKind::gpu, {}, {});
  ASSERT_EQ(choice.planned.size(), 2U);
  EXPECT_EQ(choice.planned[0].id, "gemm/bf16/8192");
  EXPECT_EQ(choice.planned[0].processes, 5);
  EXPECT_NEAR(choice.planned[0].seconds, .25 + .2, 1e-9);
  EXPECT_NEAR(choice.round_seconds, 1 + 5 * (1.6 + .6 + 2 * .45), 1e-9) << "a second without cooling, too";
  EXPECT_EQ(round_seconds({}, {}, example_profile(), DeviceKind::gpu), 0);
  EXPECT_NEAR(round_seconds({{"new/one", 2, 1}}, {}, example_profile(), DeviceKind::host), 2 * (.6 + .1 + 1),
              1e-9)
      << "a family that states nothing";
}

TEST(Window, IsTheProfilesForTheKindOfDevice) {
  Benchmark one = example().benchmarks[1];
  one.profile = "quick";
  EXPECT_EQ(window_seconds(one, example_profile()), .25);
  one.window_share = 8;
  EXPECT_EQ(window_seconds(one, example_profile()), 2);
  one.kind = DeviceKind::host;
  one.window_share = .5;
  EXPECT_EQ(window_seconds(one, example_profile()), 1) << "a window of a second is not cut";
}

TEST(Window, HoldsTwentyBatchesAndTheMeanOfWhatSmokeMeasures) {
  Benchmark one = example().benchmarks[1];
  one.batch_seconds = .02;
  EXPECT_NEAR(window_seconds(one, example_profile()), .4, 1e-9);
  one.forms_mean = true;
  EXPECT_NEAR(window_seconds(one, example_profile()), .4, 1e-9) << "smoke does not measure it";
  one.profile = "smoke";
  EXPECT_EQ(window_seconds(one, example_profile()), 1);
  EXPECT_EQ(window_seconds(one, run::profile("smoke")), .5);
}

TEST(Window, OfSustainedLoadIsWhatWasAskedFor) {
  Catalogue catalogue = example();
  run::Profile profile = example_profile();
  catalogue.benchmarks[1].window_share = 300;
  profile.sustained_seconds = 600;
  EXPECT_EQ(window_seconds(catalogue.benchmarks[1], profile), 75);
  const auto refusal = [&] {
    return usage_error([&] {
      require_sustained(catalogue, profile,
                        {Chosen{{}, choose(catalogue, profile, DeviceKind::gpu, {}, {})}});
    });
  };
  EXPECT_THAT(refusal(), HasSubstr("none is chosen in the profile standard"));
  catalogue.benchmarks[1].sustained = true;
  EXPECT_EQ(window_seconds(catalogue.benchmarks[1], profile), 600);
  const run::PlannedBenchmark planned = plan_of({&catalogue.benchmarks[1]}, profile).front();
  EXPECT_TRUE(planned.sustained);
  EXPECT_EQ(planned.processes, 1);
  EXPECT_GT(planned.seconds, 600) << "it is part of the estimate";
  EXPECT_EQ(refusal(), "");
  catalogue.benchmarks[1].profile = "deep";
  EXPECT_THAT(refusal(), HasSubstr("; the profile deep measures it"));
}

TEST(Processes, AreFewerForWhatOnlyTheDeepestProfileMeasuresAndOneForWhatLastsLong) {
  Benchmark one = example().benchmarks[1];
  const run::Profile deep = run::profile("deep");
  one.profile = "standard";
  EXPECT_EQ(processes_of(one, deep), 5);
  one.profile = "deep";
  EXPECT_EQ(processes_of(one, deep), 3);
  one.window_share = 40;
  EXPECT_EQ(processes_of(one, deep), 1);
  one.profile = "standard";
  EXPECT_EQ(processes_of(one, run::profile("standard")), 1);
}

TEST(Targets, AllIsEveryGpuAndNotTheHost) {
  const Targets targets = select_targets("all", two_gpus(), "X");
  ASSERT_EQ(targets.devices.size(), 3U);
  EXPECT_EQ(targets.devices[0].kind, DeviceKind::gpu);
  EXPECT_EQ(targets.devices[0].visible, "GPU-aaaaaaaa-0000");
  EXPECT_EQ(targets.devices[2].kind, DeviceKind::links);
  EXPECT_EQ(targets.devices[2].selection, "links");
  EXPECT_EQ(targets.devices[2].visible, "GPU-aaaaaaaa-0000,GPU-aaaaaaaa-1111");
  EXPECT_EQ(targets.devices[2].label, "Links between 2 GPUs");
  EXPECT_TRUE(targets.gpu_wanted);
}

TEST(Targets, AllOfASingleGpuIsNoGroup) {
  stack::GpuReport one = two_gpus();
  one.gpus.pop_back();
  EXPECT_EQ(select_targets("all", one, "X").devices.size(), 1U);
  const Targets asked = select_targets("links", one, "X");
  ASSERT_EQ(asked.devices.size(), 1U);
  EXPECT_EQ(asked.devices[0].kind, DeviceKind::links);
  EXPECT_FALSE(asked.devices[0].implied);
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
              HasSubstr("give all, links, host, an index or a UUID"));
  EXPECT_THAT(usage_error([] { select_targets("0,,1", two_gpus(), ""); }), HasSubstr("empty name"));
  EXPECT_THAT(usage_error([] { select_targets("", two_gpus(), ""); }), HasSubstr("--device needs"));
}

TEST(Targets, WithoutAUsableGpuNoneIsChosenAndThatIsKnown) {
  const Targets targets = select_targets("all,host", {}, "X");
  ASSERT_EQ(targets.devices.size(), 1U);
  EXPECT_TRUE(targets.gpu_wanted);
  EXPECT_EQ(targets.devices[0].kind, DeviceKind::host);
}

TEST(Targets, HostOnlyNeedsNoGpu) {
  EXPECT_TRUE(host_only("host"));
  EXPECT_FALSE(host_only("host,0"));
}

}  // namespace
}  // namespace gpugauge::conductor
