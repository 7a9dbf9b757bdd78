// An upgrade's two measurements with a family made of a few lines of shell, and what follows from them.
#include "conductor/upgrade.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "unit/conductor/upgrade_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CountedRounds all_of(const std::vector<result::Run>& runs) {
  CountedRounds out;
  for (const result::Run& run : runs) out.rounds.push_back({run, run.id + ".json", 1});
  return out;
}

TEST_F(Upgrade, TheOldSideIsMeasuredOnceAndPinned) {
  EXPECT_EQ(measure_old_side(), "");
  EXPECT_TRUE(is_old_measured(kept_, device()));
  const baseline::Baseline old = old_side(kept_, device());
  EXPECT_EQ(old.runs.size(), 3U);
  EXPECT_EQ(baseline::state_of(old.log), baseline::State::candidate);
  EXPECT_FALSE(std::filesystem::exists(kept_.folder / "measuring" / "host"));
  latency(9);
  EXPECT_EQ(measure_old_side(), "");  // it is there: nothing is measured again
  EXPECT_EQ(old_side(kept_, device()).runs.front().id, old.runs.front().id);
}

TEST_F(Upgrade, AnInterruptedOldSideGoesOnWhereItStopped) {
  stop_in_second_round(SIGINT);
  EXPECT_NE(measure_old_side(), "");
  EXPECT_FALSE(is_old_measured(kept_, device()));
  const auto first = kept_rounds(kept_, UpgradeSide::measuring, device());
  ASSERT_EQ(first.size(), 1U);
  go_on();
  EXPECT_EQ(measure_old_side(), "");
  const auto runs = old_side(kept_, device()).runs;
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs.front().id, first.front().run.id);
}

TEST_F(Upgrade, AnUnfitRoundIsRefusedAndNotKept) {
  latency(1e-3, false);
  try {
    measure_old_side();
    FAIL() << "it was taken";
  } catch (const result::UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot be part of a baseline"));
    EXPECT_THAT(error.what(), testing::EndsWith("`gpugauge upgrade begin --resume` goes on"));
  }
  EXPECT_FALSE(is_old_measured(kept_, device()));
  latency(1e-3);
  EXPECT_EQ(measure_old_side(), "");
  EXPECT_EQ(old_side(kept_, device()).runs.size(), 3U);
}

TEST_F(Upgrade, WhatARoundIsRefusedForIsAClauseThatGoesOn) {
  result::Run run = rounds(1).front();
  result::Process& process = run.processes.front();
  // What this machine did meanwhile is no part of the sentence.
  process.host = {{"pressure_cpu_seconds", .606 * process.wall_seconds}};
  auto wrong = process.samples->benchmarks[0];
  wrong.id += "/wrong";
  wrong.verifications = {{"sum", false, 1.0, 0.0}};
  process.samples->benchmarks.push_back(std::move(wrong));
  const auto sentence = [](const result::Run& of) -> std::string {
    try {
      refuse_unfit(of);
    } catch (const result::UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(sentence(run), testing::EndsWith("some thread waited for a processor 60.6% of the time"));
}

TEST_F(Upgrade, RoundsAreReadThroughNoLink) {
  ::setenv("GPUGAUGE_STATE", (fakes_.path() / "state").c_str(), 1);
  const std::filesystem::path folder = kept_.folder / "measuring" / "host";
  std::filesystem::create_directories(folder);
  std::filesystem::create_symlink("/etc/hostname", folder / "planted.json");
  EXPECT_THAT([&] { return kept_rounds(kept_, UpgradeSide::measuring, device()); },
              testing::ThrowsMessage<result::FileError>(testing::HasSubstr("planted.json is a link")));
  ::unsetenv("GPUGAUGE_STATE");
}

TEST_F(Upgrade, TheStackIsTheTreatmentAndTheDeviceIsNot) {
  const std::vector<result::Run> before = rounds(3);
  std::vector<result::Run> after = rounds(3);
  for (result::Run& run : after) {
    run.fingerprint.stack["driver.version"] = "580.65.06";
    run.fingerprint.stack["driver.libcuda_version"] = "580.65.06";
    run.fingerprint.stack["kernel.version"] = "6.8.0-85-generic";
  }
  EXPECT_THAT(changed_fields(after.front().fingerprint, before.front().fingerprint),
              ElementsAre("stack.driver", "stack.kernel"));
  const report::DeviceReport judged =
      judge_upgrade(before, all_of(after), {"Changed: the driver."}, {}, false);
  EXPECT_EQ(judged.outcome.code, judge::ExitCode::pass) << judged.outcome.sentence;
  EXPECT_EQ(judged.remarks.front(), "Changed: the driver.");
  for (result::Run& run : after) run.fingerprint.device["host.cpu_model"] = "another";
  const report::DeviceReport other = judge_upgrade(before, all_of(after), {}, {}, false);
  EXPECT_EQ(other.outcome.code, judge::ExitCode::cannot_judge);
}

TEST_F(Upgrade, RoundsOfAnEarlierNewStackAreLeftOutAndSaid) {
  CountedRounds after = all_of(rounds(3));
  after.rounds[0].run.fingerprint.stack["driver.version"] = "580.65.06";
  after.rounds[1].run.fingerprint.stack["driver.version"] = "580.95.05";
  after.rounds[2].run.fingerprint.stack["driver.version"] = "580.95.05";
  after.rounds[1].attempt = after.rounds[2].attempt = 2;
  const CountedRounds counted = counted_rounds(after.rounds, {}, "host");
  const report::DeviceReport judged = judge_upgrade(rounds(3), counted, {}, {}, false);
  EXPECT_EQ(judged.rounds.size(), 2U);
  EXPECT_THAT(judged.files, ElementsAre(after.rounds[1].file, after.rounds[2].file));
  EXPECT_EQ(judged.remarks.front(),
            "Left out: 1 round of another state of the stack; it was changed again since.");
}

TEST_F(Upgrade, GoingBackTakesEvidenceAndNoOtherCause) {
  const std::vector<result::Run> before = rounds(3);
  latency(2e-3);
  std::vector<report::DeviceReport> devices{judge_upgrade(before, all_of(rounds(3)), {}, {}, false)};
  ASSERT_EQ(devices[0].outcome.code, judge::ExitCode::regressed) << devices[0].outcome.sentence;
  devices[0].diagnosis.reset();
  stack::StackChange change;
  UpgradeConclusion conclusion = conclude(devices, change);
  EXPECT_TRUE(conclusion.roll_back);
  EXPECT_THAT(conclusion.sentences, ElementsAre(HasSubstr("1 verdict against the new stack")));
  stack::LayerChange kernel;
  kernel.layer = "system";
  kernel.state = stack::LayerChange::State::unplanned;
  change.layers.push_back(kernel);
  conclusion = conclude(devices, change);
  ASSERT_EQ(conclusion.sentences.size(), 2U);
  EXPECT_THAT(conclusion.sentences[1], HasSubstr("Nobody planned the change of system"));

  diagnose::Finding finding;
  finding.cause = "power_limit_lowered";
  finding.score = .9;
  finding.next = {"nvidia-smi -pl 700"};
  devices[0].diagnosis.emplace().findings = {finding};
  conclusion = conclude(devices, change);
  EXPECT_FALSE(conclusion.roll_back);
  EXPECT_THAT(conclusion.sentences,
              ElementsAre(HasSubstr("power_limit_lowered. Mend it"), "Next: nvidia-smi -pl 700"));
  // A finding that only blames the change is no other cause.
  devices[0].diagnosis->findings[0].cause = "driver_regression";
  EXPECT_TRUE(conclude(devices, change).roll_back);
  // What is only said, and never counted, is no evidence.
  for (judge::Verdict& verdict : devices[0].verdicts) verdict.advisory = true;
  EXPECT_FALSE(conclude(devices, change).roll_back);
  EXPECT_THAT(conclude(devices, change).sentences, IsEmpty());
}

TEST_F(Upgrade, ACauseOnOneDeviceDoesNotExplainAnother) {
  latency(2e-3);
  const std::vector<result::Run> slow = rounds(3);
  latency(1e-3);
  const std::vector<result::Run> before = rounds(3);
  std::vector<report::DeviceReport> devices(2, judge_upgrade(before, all_of(slow), {}, {}, false));
  ASSERT_EQ(devices[0].outcome.code, judge::ExitCode::regressed) << devices[0].outcome.sentence;
  devices[0].label = "GPU 0";
  devices[0].selection = "GPU-a";
  devices[1].label = "GPU 1";
  devices[1].selection = "GPU-b";
  diagnose::Finding finding;
  finding.cause = "power_limit_lowered";
  finding.score = .9;
  finding.next = {"nvidia-smi -pl 700"};
  devices[0].diagnosis.emplace().findings = {finding};
  devices[1].diagnosis.reset();
  UpgradeConclusion conclusion = conclude(devices, {});
  EXPECT_TRUE(conclusion.roll_back);
  EXPECT_THAT(conclusion.causes, ElementsAre(UpgradeCause{"GPU-a", "power_limit_lowered"}));
  EXPECT_THAT(
      conclusion.sentences,
      ElementsAre(HasSubstr("1 verdict against the new stack on GPU 1, and nothing else was found that"),
                  "Beside that, what can be mended without going back: power_limit_lowered (GPU 0).",
                  "Next: nvidia-smi -pl 700"));
  // What is found on a device that nothing speaks against explains nothing.
  devices[0].verdicts.clear();
  conclusion = conclude(devices, {});
  EXPECT_TRUE(conclusion.roll_back);
  EXPECT_THAT(conclusion.causes, IsEmpty());
  // With one of its own each, nobody has to go back.
  devices[0] = devices[1];
  for (report::DeviceReport& device : devices) device.diagnosis.emplace().findings = {finding};
  conclusion = conclude(devices, {});
  EXPECT_FALSE(conclusion.roll_back);
  EXPECT_THAT(conclusion.sentences.front(),
              HasSubstr("power_limit_lowered (GPU 1), power_limit_lowered (GPU 1). Mend it"));
}

TEST_F(Upgrade, AnotherHostIsTold) {
  UpgradeRecord record = kept_.record;
  record.host = "node3";
  record.machine = "0123456789abcdef";
  EXPECT_EQ(of_another_host(record, {"node3", "0123456789abcdef"}), "");
  EXPECT_EQ(of_another_host(record, {"node3", "fedcba9876543210"}), "") << "its system was installed anew";
  EXPECT_EQ(of_another_host(record, {"", ""}), "");
  EXPECT_THAT(of_another_host(record, {"node4", "fedcba9876543210"}),
              HasSubstr("upgrade one was begun on the host node3, and this is node4"));
  EXPECT_NE(of_another_host(record, {"node4", "0123456789abcdef"}), "") << "a clone of the same image";
  EXPECT_NE(of_another_host(record, {"node4", ""}), "");
  record.devices = {{"GPU-11111111-2222-3333-4444-555555555555", "GPU 0"}, {"links", "links"}};
  EXPECT_EQ(of_another_host(record, {"node4", "0123456789abcdef"}), "") << "it has another name now";
  EXPECT_EQ(of_another_host(record, {"5e1fc0ffee", ""}), "") << "another container on it";
  EXPECT_NE(of_another_host(record, {"node4", "fedcba9876543210"}), "");
  record.devices = {{"links", "links"}};
  EXPECT_NE(of_another_host(record, {"node4", "0123456789abcdef"}), "");
  record.host.clear();
  EXPECT_EQ(of_another_host(record, {"node4", "fedcba9876543210"}), "");
}

TEST_F(Upgrade, AMachineIsTheSameUnderAnotherName) {
  run::write_text(fakes_.path() / "proc/sys/kernel/hostname", "node3\n");
  run::write_text(fakes_.path() / "etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  const stack::Tree tree(fakes_.path().string());
  const HostHere here = host_here(tree, false);
  EXPECT_EQ(here.name, "node3");
  EXPECT_EQ(here.machine.size(), 16U);
  EXPECT_EQ(host_here(tree, true).machine, "");
  run::write_text(fakes_.path() / "proc/sys/kernel/hostname", "node4\n");
  EXPECT_EQ(host_here(tree, false).machine, here.machine);
  run::write_text(fakes_.path() / "etc/machine-id", "uninitialized\n");
  EXPECT_EQ(host_here(tree, false).machine, "");
}

TEST_F(Upgrade, ARecordOfAnEarlierVersionIsRead) {
  std::string text = to_json(kept_.record);
  for (const char* const line :
       {"  \"host\": \"\",\n", "  \"machine\": \"\",\n", "  \"process_limit\": 0.0,\n"}) {
    ASSERT_NE(text.find(line), std::string::npos) << line;
    text.erase(text.find(line), std::string_view(line).size());
  }
  UpgradeRecord expected = kept_.record;
  expected.host = "node3";
  EXPECT_EQ(upgrade_from_json(text, "upgrade.json"), expected);
}

TEST_F(Upgrade, AFolderThatCannotBeReadIsNoEmptyOne) {
  const auto state = fakes_.path() / "state";
  EXPECT_TRUE(list_upgrades(state).empty());
  run::write_text(state / "upgrades", "");
  EXPECT_THAT(
      [&] { return list_upgrades(state); },
      testing::ThrowsMessage<result::FileError>(HasSubstr("upgrades could not be read: Not a directory")));
  std::filesystem::remove(state / "upgrades");
  run::write_text(kept_.folder / "new" / "host", "");
  EXPECT_THAT(
      [&] { return kept_rounds(kept_, UpgradeSide::new_stack, device()); },
      testing::ThrowsMessage<result::FileError>(HasSubstr("new/host could not be read: Not a directory")));
}

TEST_F(Upgrade, ARecordIsReadAsItWasWritten) {
  kept_.record.target = "driver=580";
  kept_.record.attempts = {{"2026-01-02T00:00:00Z",
                            UpgradeSide::new_stack,
                            1,
                            "regressed: x",
                            {"Changed: y"},
                            {"sudo z"},
                            false,
                            {{"host", "cpu_contention"}},
                            {{"host", "driver_regression", .844}}}};
  kept_.record.host = "node3";
  kept_.record.machine = "0123456789abcdef";
  kept_.record.process_limit = 77.5;
  save(kept_);
  const auto state = fakes_.path() / "state";
  ASSERT_TRUE(open_upgrade(state).has_value());
  EXPECT_EQ(open_upgrade(state)->record, kept_.record);
  kept_.record.state = UpgradeState::passed;
  save(kept_);
  EXPECT_FALSE(open_upgrade(state).has_value());
  EXPECT_EQ(list_upgrades(state).size(), 1U);
}

TEST_F(Upgrade, ADamagedRecordIsNamed) {
  const std::string text = to_json(kept_.record);
  const auto fault = [](const std::string& damaged) {
    try {
      upgrade_from_json(damaged, "upgrade.json");
    } catch (const result::FormatError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault(text), "");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    out.replace(out.find(from), from.size(), to);
    return out;
  };
  EXPECT_THAT(fault(text.substr(0, 100)), HasSubstr("upgrade.json"));
  EXPECT_THAT(fault(with("\"measuring\"", "\"somehow\"")), HasSubstr("state: should be measuring, open"));
  EXPECT_THAT(fault(with("\"rounds\": 3", "\"rounds\": 1")), HasSubstr("rounds: should be 2 to 100"));
  EXPECT_THAT(fault(with("\"selection\": \"host\"", "\"selection\": \"../x\"")),
              HasSubstr("names no device"));
  EXPECT_THAT(fault(with("\"name\": \"one\"", "\"name\": \"../one\"")), HasSubstr("is no name of a folder"));
  EXPECT_THAT(fault(with("\"process_limit\": 0.0", "\"process_limit\": -1")),
              HasSubstr("process_limit: should not"));
  EXPECT_THAT(fault(with("\"who\"", "\"whom\"")), HasSubstr("who"));
}

stack::Inventory driver(const std::string& module, const std::string& libraries) {
  stack::Inventory out;
  out.present("driver.kernel_module_version", module, "/proc/driver/nvidia/version");
  out.present("driver.libcuda_version", libraries, "file");
  return out;
}

TEST(NotRestarted, LibrariesOfAnotherVersionThanTheModule) {
  const stack::Inventory before = driver("570.86.15", "570.86.15");
  EXPECT_EQ(
      not_restarted(before, driver("570.86.15", "580.65.06")),
      "the kernel module that is loaded is still 570.86.15, while the driver's libraries are 580.65.06: "
      "restart the machine, or unload and load the nvidia modules, and run `gpugauge upgrade end` once "
      "more");
  EXPECT_THAT(not_restarted(before, driver("580.65.06", "570.86.15")),
              HasSubstr("both must be of one version"));
  EXPECT_EQ(not_restarted(before, driver("580.65.06", "580.65.06")), "");
  EXPECT_EQ(not_restarted(before, before), "");
  const stack::Inventory half = driver("570.86.15", "580.65.06");
  EXPECT_EQ(not_restarted(half, half), "") << "it was so before";
  EXPECT_EQ(not_restarted(before, {}), "") << "nobody knows";
}

TEST(NotRestarted, ForwardCompatibilityIsNoLibraryOfTheDriver) {
  const stack::Inventory before = driver("570.86.15", "570.86.15");
  stack::Inventory now = driver("570.86.15", "580.65.06");
  now.present("driver.libcuda_path", "/usr/local/cuda/compat/libcuda.so.580.65.06", "loader");
  EXPECT_EQ(not_restarted(before, now), "");
  now.present("driver.libnvml_version", "580.65.06", "file");
  EXPECT_NE(not_restarted(before, now), "") << "NVML's library has no such package";
}

}  // namespace
}  // namespace gpugauge::conductor
