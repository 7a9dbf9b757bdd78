#include "conductor/outcome.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace gpugauge::conductor {
namespace {

using judge::ExitCode;

report::DeviceReport device(ExitCode code, const std::string& label = "d") {
  report::DeviceReport made;
  made.label = label;
  made.outcome = {code, "sentence of " + label};
  made.rounds.emplace_back();
  return made;
}

report::Report report(std::vector<report::DeviceReport> devices) {
  report::Report made;
  made.devices = std::move(devices);
  return made;
}

judge::Verdict failed(const std::string& reason) {
  judge::Verdict made;
  made.kind = judge::VerdictKind::failed;
  made.reason = reason;
  return made;
}

TEST(Combine, TheGravestOutcomeCounts) {
  EXPECT_EQ(
      combine({device(ExitCode::pass), device(ExitCode::regressed), device(ExitCode::cannot_judge)}).code,
      ExitCode::regressed);
  EXPECT_EQ(combine({device(ExitCode::pass), device(ExitCode::cannot_judge)}).code, ExitCode::cannot_judge);
  EXPECT_EQ(combine({device(ExitCode::pass), device(ExitCode::inconclusive)}).code, ExitCode::inconclusive);
  EXPECT_EQ(combine({device(ExitCode::pass), device(ExitCode::pass)}).code, ExitCode::pass);
  EXPECT_EQ(combine({}).code, ExitCode::cannot_judge);
}

TEST(Combine, NamesTheDevicesThatCountAndTheOnlyOneInItsOwnWords) {
  EXPECT_EQ(combine({device(ExitCode::regressed, "GPU 1")}).sentence, "sentence of GPU 1");
  EXPECT_EQ(combine({device(ExitCode::pass, "GPU 0"), device(ExitCode::regressed, "GPU 1"),
                     device(ExitCode::regressed, "GPU 2")})
                .sentence,
            "regressed: 2 of 3 devices: GPU 1; GPU 2");
}

TEST(Combine, OfSeveralThatPassWhatIsInDoubtIsNamed) {
  EXPECT_EQ(combine({device(ExitCode::pass, "GPU 0"), device(ExitCode::pass, "GPU 1")}).sentence,
            "pass: 2 of 2 devices");
  using judge::VerdictKind;
  std::vector<report::DeviceReport> eight;
  eight.reserve(8);
  for (int i = 0; i < 8; ++i)
    eight.push_back(device(ExitCode::pass, fmt::format("GPU {} NVIDIA H200 (GPU-aa{})", i, i)));
  eight[5].outcome.mentioned.metrics[VerdictKind::inconclusive] = {"health/memory"};
  EXPECT_EQ(combine(eight).sentence, "pass: 8 of 8 devices; 1 inconclusive (GPU 5: health/memory)");
  for (report::DeviceReport& one : eight) {
    one.outcome.mentioned.metrics[VerdictKind::unstable] = {"power/limit"};
    one.outcome.mentioned.metrics[VerdictKind::new_metric] = {"a", "b"};
    one.outcome.mentioned.unknown = 1;
  }
  eight[6].outcome.mentioned.metrics[VerdictKind::inconclusive] = {"a", "b", "c", "d"};
  eight[7].outcome.mentioned.advisory[VerdictKind::regressed] = {"class/hbm"};
  eight[7].outcome.mentioned.accepted = 2;
  eight[2].outcome.decided = false;
  EXPECT_EQ(
      combine(eight).sentence,
      "pass: 8 of 8 devices; 8 unstable (GPU 0, GPU 1, GPU 2 and 5 more: power/limit), 5 inconclusive "
      "(GPU 5: health/memory; GPU 6: a, b, c and 1 more), 16 new, 1 regressed, which is advisory (GPU 7: "
      "class/hbm), 2 accepted, 8 too noisy or unknown to count; nothing could be decided of GPU 2");
}

TEST(Combine, WhatIsInDoubtOfOthersStandsBesideWhatIsShown) {
  std::vector<report::DeviceReport> both{device(ExitCode::regressed, "GPU 0 NVIDIA H200 (GPU-aa)"),
                                         device(ExitCode::pass, "Links between 2 GPUs")};
  both[1].outcome.mentioned.metrics[judge::VerdictKind::inconclusive] = {"links/nvlinks"};
  EXPECT_EQ(combine(both).sentence,
            "regressed: 1 of 2 devices: GPU 0 NVIDIA H200 (GPU-aa); 1 inconclusive (Links between 2 GPUs: "
            "links/nvlinks)");
}

TEST(Combine, SeveralDevicesAreWordedByTheGravestThatWasFoundOnAny) {
  using judge::VerdictKind;
  const auto with = [](const std::string& label, VerdictKind kind) {
    report::DeviceReport made = device(ExitCode::regressed, label);
    made.outcome.found = kind;
    return made;
  };
  const report::DeviceReport lacks = with("GPU 1", VerdictKind::missing);
  EXPECT_EQ(combine({lacks}).found, VerdictKind::missing);
  EXPECT_EQ(combine({lacks, lacks}).found, VerdictKind::missing);
  EXPECT_EQ(combine({lacks, with("GPU 2", VerdictKind::regressed)}).found, VerdictKind::regressed);
  const judge::Outcome wrong =
      combine({with("GPU 0", VerdictKind::regressed), lacks, with("GPU 2", VerdictKind::failed)});
  EXPECT_EQ(wrong.found, VerdictKind::failed);
  EXPECT_EQ(wrong.sentence, "failed: 3 of 3 devices: GPU 0; GPU 1; GPU 2");
  EXPECT_EQ(combine({device(ExitCode::pass), lacks}).sentence, "missing: 1 of 2 devices: GPU 1");
  EXPECT_EQ(combine({device(ExitCode::pass), device(ExitCode::pass)}).found, std::nullopt);
}

TEST(Combine, AFailureOfTheNodeStandsAboveAPass) {
  const judge::Outcome all = combine({device(ExitCode::pass, "GPU 0")}, {failed("7 of 8 GPUs")});
  EXPECT_EQ(all.code, ExitCode::regressed);
  EXPECT_EQ(all.sentence, "failed: 7 of 8 GPUs; sentence of GPU 0");
  EXPECT_EQ(all.found, judge::VerdictKind::failed);
}

TEST(Outcome, OfACheckThatNothingHinderedIsTheOneOfItsDevices) {
  EXPECT_EQ(outcome(report({device(ExitCode::pass, "GPU 0")}), {}).sentence, "sentence of GPU 0");
}

TEST(Outcome, ADeviceInOtherHandsLeavesNothingMeasured) {
  Hindrance held;
  held.held = "GPU 0 is measured by process 7";
  const judge::Outcome said = outcome(report({}), held);
  EXPECT_EQ(said.code, ExitCode::cannot_judge);
  EXPECT_EQ(
      said.sentence,
      "cannot judge: GPU 0 is measured by process 7; nothing was measured; --wait SECONDS waits for it");
}

TEST(Outcome, WhatTheNodeLacksIsSaidWhileAnotherMeasures) {
  Hindrance held;
  held.held = "GPU 0 is measured by process 7";
  report::Report lacking = report({});
  lacking.node = {failed("7 of 8 GPUs")};
  const judge::Outcome said = outcome(lacking, held);
  EXPECT_EQ(said.code, ExitCode::regressed);
  EXPECT_EQ(said.sentence,
            "failed: 7 of 8 GPUs; cannot judge: no device was measured; GPU 0 is measured by process 7; "
            "--wait SECONDS waits for it");
}

TEST(Outcome, APassOfTheHostIsNoneOfTheGpuThatWasAskedForToo) {
  Hindrance missing;
  missing.gpu_missing = true;
  EXPECT_EQ(outcome(report({device(ExitCode::pass, "Host")}), missing).sentence,
            "cannot judge: a GPU was asked for and none is usable; sentence of Host");
  EXPECT_EQ(outcome(report({}), missing).sentence, "cannot judge: no usable GPU, nothing was measured");
  EXPECT_EQ(outcome(report({device(ExitCode::regressed, "Host")}), missing).code, ExitCode::regressed);
}

TEST(Outcome, OfACheckThatEndedEarlyIsNoPassButStaysAFailure) {
  Hindrance stopped;
  stopped.stopped = true;
  stopped.wanted = 8;
  for (const ExitCode code : {ExitCode::pass, ExitCode::inconclusive}) {
    const judge::Outcome said = outcome(report({device(code, "GPU 0")}), stopped);
    EXPECT_EQ(said.code, ExitCode::cannot_judge);
    EXPECT_EQ(said.sentence, "cannot judge: stopped after 1 of 8 devices; sentence of GPU 0");
  }
  EXPECT_EQ(outcome(report({device(ExitCode::regressed, "GPU 0")}), stopped).sentence, "sentence of GPU 0");
}

/// A node of two GPUs, both chosen and measured.
struct LookedAtAll : testing::Test {
  report::Report found = report({device(ExitCode::pass, "GPU 0"), device(ExitCode::pass, "GPU 1")});
  stack::GpuReport gpus;
  std::vector<Chosen> chosen{2};

  LookedAtAll() {
    gpus.gpus.resize(2);
    for (std::size_t i = 0; i < 2; ++i)
      gpus.gpus[i].uuid = chosen[i].target.selection = "GPU-" + std::to_string(i);
    for (report::DeviceReport& one : found.devices) one.rounds.back().complete = true;
  }
  bool all(const std::vector<std::string>& narrowed = {}) const {
    return looked_at_all(found, gpus, chosen, narrowed);
  }
};

TEST_F(LookedAtAll, WhereEveryGpuWasMeasuredToTheEnd) {
  EXPECT_TRUE(all());
}

TEST_F(LookedAtAll, NotWhereTheProfileWasNarrowed) {
  EXPECT_FALSE(all({"gemm"}));
}

TEST_F(LookedAtAll, NotWhereAGpuWasNotChosen) {
  chosen.pop_back();
  found.devices.pop_back();
  EXPECT_FALSE(all());
}

TEST_F(LookedAtAll, NotWhereAChosenOneIsMissing) {
  found.devices.pop_back();
  EXPECT_FALSE(all());
}

TEST_F(LookedAtAll, NotWhereOneWasInterruptedOrBrokeOffOrStayedPartial) {
  found.devices[1].interrupted = true;
  EXPECT_FALSE(all());
  found.devices[1].interrupted = false;
  found.devices[1].broke_off = "a further round could not be measured";
  EXPECT_FALSE(all());
  found.devices[1].broke_off.clear();
  found.devices[1].rounds.back().complete = false;
  EXPECT_FALSE(all());
  found.devices[1].rounds.clear();
  EXPECT_FALSE(all());
}

}  // namespace
}  // namespace gpugauge::conductor
