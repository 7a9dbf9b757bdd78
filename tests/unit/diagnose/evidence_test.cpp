// The words, patterns and questions that signatures are written in.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/pattern.hpp"
#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {
namespace {

using testing::HasSubstr;

Observation seen_of(const char* text) {
  return parse_observation(text, "test");
}

TEST(Words, HoldInAnyCaseAndInOrder) {
  EXPECT_TRUE(contains("NCCL INFO NET/IB : No device found", "net/ib*no device"));
  EXPECT_FALSE(contains("No device found by NET/IB", "net/ib*no device"));
  EXPECT_FALSE(contains("anything", ""));
}

TEST(Words, BeginWhereAWordBegins) {
  EXPECT_TRUE(contains_word("torch.backends.allow_tf32=True", "tf32"));
  EXPECT_TRUE(contains_word("docker --shm-size=8g", "--shm-size"));
  EXPECT_FALSE(contains_word("driver reload=yes", "load="));
}

TEST(Words, AreNotHeldWhereTheyAreDenied) {
  EXPECT_TRUE(contains_any_affirmed("it throttles after a minute", {"throttl"}));
  EXPECT_FALSE(contains_any_affirmed("no thermal throttling, 60 C", {"throttl"}));
  EXPECT_FALSE(contains_any_affirmed("is not slower", {"slow"}));
  EXPECT_TRUE(contains_any_affirmed("no error, slow all the same", {"slow"}));
  EXPECT_TRUE(contains_any_affirmed("no kernel image is available", {"no kernel image"}));
  EXPECT_TRUE(contains_any_affirmed("not slow at first, then slow", {"slow"}));
  EXPECT_FALSE(contains_any_affirmed("anything", {""}));
}

TEST(Words, ClausesOfWhatIsNotActiveGo) {
  EXPECT_EQ(without_inactive("a: Not Active, b: Active; c: NOT ACTIVE\nd"), " b: Active;d");
  EXPECT_EQ(without_inactive("a: active, b"), "a: active, b");
  EXPECT_EQ(without_inactive("not active"), "");
  EXPECT_EQ(without_inactive(""), "");
  EXPECT_EQ(without_inactive("not active;"), "");
}

TEST(Words, FindNumbersWhole) {
  const auto holds = [](std::string_view text) {
    return find_number(text, 803, 0, Lines::count) != std::string_view::npos;
  };
  EXPECT_TRUE(holds("Error 803: mismatch"));
  EXPECT_TRUE(holds("returned 803."));
  EXPECT_FALSE(holds("pid 18031"));
  EXPECT_FALSE(holds("535.803.01"));
}

TEST(Seen, FindsAnErrorByNumberNameTextOrLog) {
  for (const char* text :
       {R"({"errors": [{"api": "cuda", "code": 802}]})", R"({"errors": [{"code": "802"}]})",
        R"({"errors": [{"api": "driver", "code": "CUDA_ERROR_SYSTEM_NOT_READY"}]})",
        R"({"errors": [{"api": "framework", "text": "Error 802: system not yet initialized"}]})",
        R"({"log": ["cudaErrorSystemNotReady"]})"}) {
    const Observation it = seen_of(text);
    EXPECT_TRUE(Seen(it).error(802, {"SystemNotReady", "SYSTEM_NOT_READY", "not yet initialized"})) << text;
  }
  const Observation other =
      seen_of(R"({"errors": [{"api": "nvml", "code": 802}, {"api": "cuda", "code": 8020}]})");
  EXPECT_FALSE(Seen(other).error(802, {"SystemNotReady"}));
}

TEST(Seen, TakesASmallNumberForACodeOnlyWhereItIsCalledOne) {
  const Observation called = seen_of(R"({"errors": [{"text": "cuda runtime error (35) : at init.c:16"}]})");
  EXPECT_TRUE(Seen(called).error(35, {"InsufficientDriver"}));
  const Observation other =
      seen_of(R"({"errors": [{"text": "cuda error in line 35 of main.cu, status unknown"}]})");
  EXPECT_FALSE(Seen(other).error(35, {"InsufficientDriver"}));
}

TEST(Seen, ReadsNotesAndSettingsAsTheReportersWords) {
  const Observation it =
      seen_of(R"({"metrics": [{"class": "application", "factor": 2, "note": "after resume it hangs"}],
      "settings": {"cc_mode": "on"}, "log": ["nouveau is blacklisted"]})");
  const Seen seen(it);
  EXPECT_FALSE(seen.said({"resume"}));
  EXPECT_TRUE(seen.told({"resume"}));
  EXPECT_TRUE(seen.told({"cc_mode = on"}));
  EXPECT_TRUE(seen.said({"nouveau"}));
  EXPECT_FALSE(seen.said({"nouveau"}, {"blacklist"}));
}

TEST(Seen, ANameOfASettingTellsNothingWithoutItsValue) {
  const Observation it = seen_of(
      R"({"settings": {"nouveau": "absent", "memlock": "unlimited", "affinity": "none", "holder": "nouveau"}})");
  const Seen seen(it);
  EXPECT_EQ(seen.told({"nouveau"}), Fact("holder = nouveau"));
  EXPECT_FALSE(seen.told({"memlock"}));
  EXPECT_FALSE(seen.told({"affinity", "taskset"}));
  EXPECT_TRUE(seen.told({"memlock*unlimited"}));
  EXPECT_FALSE(seen.told({"memlock*unlimited"}, {"unlimited"}));
}

TEST(Seen, TakesANoteForSlowerWhereThereIsNoFigure) {
  for (
      const char* slow :
      {R"({"metrics": [{"class": "application", "note": "utilization super low"}]})",
       R"({"metrics": [{"class": "application", "factor": null, "note": "takes longer than fp32"}]})",
       R"({"metrics": [{"class": "init", "value": 90, "unit": "s"}]})",
       R"({"metrics": [{"class": "application", "note": "throttled, then a visible lag"}]})",
       R"({"metrics": [{"class": "application", "note": "throttle reasons: sw_thermal"}]})",
       R"({"metrics": [{"class": "application", "value": 2, "unit": "min", "scope": {"phase": "startup"}}]})"}) {
    const Observation it = seen_of(slow);
    EXPECT_TRUE(Seen(it).slower({})) << slow;
    EXPECT_FALSE(Seen(it).fails({})) << slow;
  }
  for (
      const char* not_known :
      {R"({"metrics": [{"class": "application", "value": 45, "unit": "ms", "factor": null}]})",
       R"({"metrics": [{"class": "init", "value": 3, "unit": "s"}]})",
       R"({"metrics": [{"class": "gemm16", "value": 700, "unit": "TFLOP/s", "note": "throttle reasons: none"}]})",
       R"({"metrics": [{"class": "gemm16", "note": "HW thermal throttling: not active"}]})",
       R"({"metrics": [{"class": "application", "note": "Lagrange solver"}]})",
       R"({"metrics": [{"class": "application", "note": "no slower than before"}]})"}) {
    const Observation it = seen_of(not_known);
    EXPECT_FALSE(Seen(it).slower({})) << not_known;
    EXPECT_FALSE(Seen(it).harm()) << not_known;
  }
}

TEST(Seen, KnowsACollectiveOrACopyBehindACoarseClass) {
  const Observation it = seen_of(R"({"metrics": [
      {"class": "application", "factor": 3, "scope": {"op": "all_reduce", "library": "nccl", "size": "small"}},
      {"class": "framework_op", "factor": 2, "scope": {"op": "copy", "direction": "d2h"}},
      {"class": "application", "factor": 1, "scope": {"path": "p2p"}},
      {"class": "framework_op", "factor": 4, "scope": {"op": "matmul", "dtype": "bf16"}}]})");
  const Seen seen(it);
  EXPECT_TRUE(seen.slower({"coll_small"}));
  EXPECT_FALSE(seen.slower({"coll_large"}));
  EXPECT_TRUE(seen.slower({"d2h"}));
  EXPECT_TRUE(seen.unchanged({"p2p"}));
  EXPECT_FALSE(seen.slower({"gemm16"}));  // a framework's product is no canary of the machine
}

TEST(Seen, KnowsWhatWasMeantToBeFaster) {
  const Observation it = seen_of(
      R"({"metrics": [{"class": "application", "factor": 1, "scope": {"dtype": "fp8"}, "note": "no faster"}]})");
  EXPECT_TRUE(Seen(it).no_gain({.dtype = "fp8"}));
  EXPECT_FALSE(Seen(it).no_gain({.dtype = "bf16"}));
  EXPECT_TRUE(Seen(it).harm());
}

TEST(Seen, ReadsXidNumbersBehindTheAddress) {
  const Observation it =
      seen_of(R"({"log": ["NVRM: Xid (PCI:0000:63:00): 79, pid=48, GPU has fallen off the bus."]})");
  EXPECT_TRUE(Seen(it).xid({79}));
  EXPECT_FALSE(Seen(it).xid({48, 63}));
}

TEST(Seen, KnowsWhatWasPutBack) {
  const Observation it = seen_of(R"({"changed": {"nccl": ["2.18", "2.19"], "driver.version": ["1", "1"]},
      "probes": [{"name": "same_binary_old_library", "outcome": "no_change"},
                 {"name": "change_version", "outcome": "recovers", "detail": "framework=2.0"}]})");
  const Seen seen(it);
  EXPECT_TRUE(seen.undone("nccl", {"no_change"}));
  EXPECT_FALSE(seen.undone("cudnn", {"no_change"}));
  EXPECT_TRUE(seen.undone("framework", {"recovers"}));
  EXPECT_TRUE(seen.changed_only({"nccl"}));  // the driver did not change
}

TEST(Seen, ComparesVersionsAsFarAsBothGo) {
  const Observation it =
      seen_of(R"({"inventory": {"driver.version": "535.183", "driver.kernel_module_version":
      "535.183.01", "driver.libcuda_version": "550.54"}})");
  EXPECT_FALSE(Seen(it).versions_differ("driver.version", "driver.kernel_module_version"));
  EXPECT_TRUE(Seen(it).versions_differ("driver.libcuda_version", "driver.kernel_module_version"));
}

TEST(Seen, CallsAClassMixedWhenOnlyAPartOfItIsSlower) {
  const Observation it =
      seen_of(R"({"metrics": [{"class": "conv", "factor": 2}, {"class": "conv", "factor": 1},
      {"class": "hbm", "factor": 1.029}, {"class": "l2", "factor": 0.5}, {"class": "h2d", "factor": null}]})");
  const Seen seen(it);
  EXPECT_EQ(seen.movement("conv"), Movement::mixed);
  EXPECT_EQ(seen.movement("hbm"), Movement::unchanged);
  EXPECT_EQ(seen.movement("l2"), Movement::faster);
  EXPECT_EQ(seen.movement("h2d"), Movement::fails);
  EXPECT_EQ(seen.movement("p2p"), Movement::not_measured);
}

TEST(Pattern, CountsForAndAgainst) {
  const auto moves = parse_moves("gemm32 --, gemm16 0, p2p x");
  const Observation as_predicted =
      seen_of(R"({"metrics": [{"class": "gemm32", "factor": 7}, {"class": "gemm16", "factor": 1}]})");
  EXPECT_DOUBLE_EQ(fit(moves, Seen(as_predicted)).match, 1);
  const Observation half = seen_of(R"({"metrics": [{"class": "gemm32", "factor": 1.5}]})");
  EXPECT_DOUBLE_EQ(fit(moves, Seen(half)).match, .5);
  const Observation against = seen_of(R"({"metrics": [{"class": "gemm16", "factor": 2}]})");
  EXPECT_DOUBLE_EQ(fit(moves, Seen(against)).match, -1);
  // What stays unchanged as predicted is no sign of a fault.
  const Observation quiet = seen_of(R"({"metrics": [{"class": "gemm16", "factor": 1}]})");
  EXPECT_DOUBLE_EQ(fit(moves, Seen(quiet)).match, 0);
}

TEST(Pattern, RefusesAClassOrSignThatDoesNotExist) {
  EXPECT_THROW(parse_moves("gemm33 -"), std::invalid_argument);
  EXPECT_THROW(parse_moves("gemm32 +"), std::invalid_argument);
  EXPECT_TRUE(parse_moves("").empty());
}

TEST(Pattern, KnowsWhetherWhatIsSlowerIsOfItsKind) {
  const auto launches = parse_moves("launch --, gemm16 0");
  const Observation copies = seen_of(R"({"metrics": [{"class": "p2p", "factor": 2}]})");
  EXPECT_FALSE(concerns(launches, Seen(copies)));
  const Observation application = seen_of(R"({"metrics": [{"class": "application", "factor": 2}]})");
  EXPECT_TRUE(concerns(launches, Seen(application)));
  const Observation broken = seen_of(R"({"errors": [{"api": "cuda", "code": 803}]})");
  EXPECT_TRUE(only_fails(launches, Seen(broken)));
  EXPECT_FALSE(only_fails(parse_moves("init x"), Seen(broken)));
}

TEST(Argument, CountsOneSentenceOnceWithItsGreatestWeight) {
  Argument argument;
  EXPECT_TRUE(argument.confirms(.2, "seen"));
  EXPECT_TRUE(argument.confirms(.5, "seen"));
  EXPECT_FALSE(argument.confirms(.9, std::nullopt));
  ASSERT_EQ(argument.evidence().size(), 1u);
  EXPECT_DOUBLE_EQ(argument.evidence()[0].weight, .5);
  argument.at_most(.4, "doubt");
  argument.at_most(.6, "less doubt");
  EXPECT_DOUBLE_EQ(argument.most(), .4);
  EXPECT_EQ(argument.why_not(), "doubt");
}

TEST(Diagnose, AFactBesideThePointDoesNotMakeAConfidentFinding) {
  for (const char* text :
       {R"({"metrics": [{"class": "p2p", "factor": 3}], "environment": {"CUDA_LAUNCH_BLOCKING": "1"}})",
        R"({"metrics": [{"class": "launch", "factor": 3}], "environment": {"NVIDIA_TF32_OVERRIDE": "0"}})",
        R"({"errors": [{"api": "cuda", "code": 803}], "environment": {"NCCL_P2P_DISABLE": "1"}})"}) {
    const Diagnosis diagnosis = diagnose(seen_of(text));
    for (const Finding& finding : diagnosis.findings)
      EXPECT_TRUE(finding.score < confident || finding.cause == "umd_kmd_mismatch")
          << text << " " << finding.cause;
  }
}

TEST(Diagnose, PrefersAMechanismToTheChangeThatBroughtIt) {
  const Diagnosis diagnosis = diagnose(seen_of(
      R"({"changed": {"driver": ["531", "537"]}, "metrics": [{"class": "application", "factor": 8}],
          "telemetry": {"spilled_to_host": true}, "inventory": {"host.os": "windows"},
          "probes": [{"name": "same_binary_old_driver", "outcome": "recovers"}]})"));
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().cause, "sysmem_fallback");
  for (std::size_t i = 1; i < diagnosis.findings.size(); ++i)
    EXPECT_LT(diagnosis.findings[i].score, confident);
}

TEST(Diagnose, AsksToMeasureTheMachineWhereOnlyAnApplicationIsKnownToBeSlower) {
  const Diagnosis diagnosis = diagnose(seen_of(R"({"metrics": [{"class": "application", "factor": 1.3}]})"));
  EXPECT_EQ(diagnosis.state, State::unknown);
  ASSERT_EQ(diagnosis.needed.size(), 1u);
  EXPECT_THAT(diagnosis.needed[0].question, HasSubstr("gpugauge check"));
}

TEST(Diagnose, NeverGivesMoreThanThreeAndBestFirst) {
  const Diagnosis diagnosis = diagnose(seen_of(
      R"({"metrics": [{"class": "launch", "factor": 3}, {"class": "h2d", "factor": 3}, {"class": "gemm16", "factor": 2},
                      {"class": "coll_large", "factor": 3}],
          "environment": {"CUDA_LAUNCH_BLOCKING": "1", "NCCL_P2P_DISABLE": "1"},
          "inventory": {"gpu.mig": true, "host.numa_local": false},
          "telemetry": {"power_limit_w": 100, "power_limit_default_w": 400, "other_processes": 2}})"));
  ASSERT_EQ(diagnosis.findings.size(), findings_most);
  EXPECT_GE(diagnosis.findings[0].score, diagnosis.findings[1].score);
  EXPECT_GE(diagnosis.findings[1].score, diagnosis.findings[2].score);
}

/// Name and score of the first finding; "" when there is none.
std::pair<std::string, double> first(const char* text) {
  const Diagnosis diagnosis = diagnose(seen_of(text));
  if (diagnosis.findings.empty()) return {"", 0};
  return {diagnosis.findings.front().cause, diagnosis.findings.front().score};
}

TEST(Diagnose, TwoComputingProcessesInTheProcessListAreANeighbour) {
  const char* two = R"({"metrics": [{"class": "application", "factor": 5}], "log": [
    "|    0   N/A  N/A     31794      C   python        1205MiB |",
    "|    0   N/A  N/A     13386    C+G   /opt/other     991MiB |"]})";
  const char* on_two_gpus = R"({"metrics": [{"class": "application", "factor": 5}], "log": [
    "|    0   N/A  N/A     31794      C   python        1205MiB |",
    "|    1   N/A  N/A     13386      C   /opt/other     991MiB |"]})";
  const char* desktop = R"({"metrics": [{"class": "application", "factor": 5}], "log": [
    "|    0   N/A  N/A     31794      C   python        1205MiB |",
    "|    0   N/A  N/A      1386      G   /usr/lib/xorg/Xorg  91MiB |"]})";
  EXPECT_EQ(first(two).first, "neighbour_process");
  EXPECT_NE(first(on_two_gpus).first, "neighbour_process");
  EXPECT_NE(first(desktop).first, "neighbour_process");
}

TEST(Diagnose, AToolkitsPatchLevelIsNotNewerThanTheDriver) {
  const char* same = R"({"metrics": [{"class": "launch", "factor": 1.5}],
    "inventory": {"driver.cuda_max": "13.0", "cuda.toolkit": "13.0.88"}})";
  EXPECT_NE(first(same).first, "ptx_newer_than_driver");
  const char* newer = R"({"errors": [{"api": "cuda", "code": 222}],
    "inventory": {"driver.cuda_max": "12.8", "cuda.toolkit": "13.0.88"}})";
  EXPECT_EQ(first(newer).first, "ptx_newer_than_driver");
}

TEST(Diagnose, WhatACardIsChosenByExplainsNoSlownessAlone) {
  const char* chosen = R"({"metrics": [{"class": "coll_large", "factor": 3}],
    "environment": {"NCCL_IB_HCA": "mlx5", "NCCL_SOCKET_IFNAME": "eth0"}, "inventory": {"nccl.transport": "ib"}})";
  EXPECT_LT(first(chosen).second, .35);
  const char* unset =
      R"({"metrics": [{"class": "coll_large", "factor": 3}], "environment": {"NCCL_IB_HCA": "mlx5_2"},
    "probes": [{"name": "unset_environment", "outcome": "recovers", "detail": "NCCL_IB_HCA=unset"}]})";
  EXPECT_EQ(first(unset).first, "nccl_env_leftover");
}

TEST(Diagnose, ALogThatTellsTheModeIsEvidence) {
  EXPECT_EQ(first(R"({"metrics": [{"class": "h2d", "value": 4.9, "unit": "GB/s"}],
    "log": ["Confidential compute mode: CC-On"]})")
                .first,
            "confidential_computing");
  EXPECT_EQ(
      first(R"({"log": ["Valid GRID license not found. GPU features and performance will be restricted."]})")
          .first,
      "vgpu_unlicensed");
  EXPECT_EQ(
      first(
          R"({"metrics": [{"class": "launch", "factor": 40}], "log": ["==PROF== Connected to process 21044"]})")
          .first,
      "profiler_attached");
}

TEST(Diagnose, APaddedShapeIsNoCoolingPad) {
  for (const Finding& finding : diagnose(seen_of(R"({"metrics": [{"class": "application", "factor": 1.8}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "cooling_pad=on"}]})"))
                                    .findings)
    EXPECT_NE(finding.cause, "tc_misaligned_dims");
  EXPECT_EQ(first(R"({"metrics": [{"class": "gemm16", "factor": 2.5}],
    "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "padded_vocabulary=50304"}]})")
                .first,
            "tc_misaligned_dims");
}

// As the probe of Debian's PyTorch 1.13 sees it: neither a driver nor a switch would bring that build to a
// GPU.
TEST(Diagnose, ABuildForProcessorsIsTheCauseAlsoWhereTheDriverIsMissing) {
  const std::string seen =
      R"({"telemetry": {"ran_on": "cpu"}, "probes": [{"name": "nvml_query", "outcome": "fails"}],
      "settings": {"torch.allow_tf32": "false", "torch.float32_matmul_precision": "highest"},
      "inventory": {"framework.name": "torch", "framework.version": "1.13.0a0", "framework.cuda": null,
      "driver.version": null, "driver.kernel_module_version": null, "framework.build": )";
  const Diagnosis processors = diagnose(seen_of((seen + "\"cpu\"}}").c_str()));
  ASSERT_FALSE(processors.findings.empty());
  EXPECT_EQ(processors.findings.front().cause, "cpu_only_wheel");
  for (const Finding& finding : processors.findings)
    EXPECT_NE(finding.cause, "tf32_disabled_by_framework_default");
  EXPECT_NE(first((seen + "\"cuda\"}}").c_str()).first, "cpu_only_wheel") << "the driver alone may be why";
}

/// What stands in the evidence for a cause; "" without it.
std::string evidence_of(const std::string& cause, const std::string& text) {
  std::string out;
  for (const Finding& finding : diagnose(seen_of(text.c_str())).findings)
    if (finding.cause == cause)
      for (const std::string& fact : finding.evidence) out += fact + "\n";
  return out;
}

TEST(Evidence, ABoardsLimitIsThatOfItsWholeName) {
  const auto power = [](const std::string& gpu) {
    return evidence_of("sw_power_cap", fmt::format(R"({{"about": {{"gpu": "{}"}},
      "metrics": [{{"class": "gemm16", "factor": 1.5}}],
      "telemetry": {{"power_limit_w": 140, "power_w": 139, "throttle_reasons": ["sw_power_cap"]}}}})",
                                                   gpu));
  };
  EXPECT_THAT(power("NVIDIA A40"), HasSubstr("the board is made for 300 W"));
  EXPECT_THAT(power("NVIDIA H200"), HasSubstr("the board is made for 700 W"));
  EXPECT_THAT(power("NVIDIA A100-SXM4-80GB"), HasSubstr("the board is made for 400 W"));
  EXPECT_THAT(power("NVIDIA A100-PCIE-40GB"), HasSubstr("the board is made for 250 W"));
  EXPECT_THAT(power("Tesla V100-SXM2-32GB"), HasSubstr("the board is made for 300 W"));
  for (const char* const other : {"NVIDIA RTX A4000", "NVIDIA GH200 480GB", "NVIDIA GB200"})
    EXPECT_THAT(power(other), testing::Not(HasSubstr("the board is made for"))) << other;
}

}  // namespace
}  // namespace gpugauge::diagnose
