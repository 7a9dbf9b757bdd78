// Which rounds of several attempts are judged, and which attempt a command goes on with.
#include "conductor/upgrade_attempts.hpp"

#include <gmock/gmock.h>

#include "unit/run/fake_family.hpp"

namespace gpugauge::conductor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class UpgradeAttempts : public testing::Test {
 protected:
  UpgradeAttempts() {
    kept_.folder = fakes_.path() / "one";
    kept_.record.rounds = 2;
    kept_.record.devices = {{"host", "host"}, {"links", "links"}};
    kept_.record.attempts = {attempt(UpgradeSide::new_stack, true), attempt(UpgradeSide::new_stack, true),
                             attempt(UpgradeSide::new_stack, true)};
  }

  static UpgradeAttempt attempt(UpgradeSide side, bool finished) {
    UpgradeAttempt out;
    out.side = side;
    out.sentence = "x";
    out.finished = finished;
    return out;
  }

  /// A round with one good process; `id` names it.
  KeptRound round(int attempt, const std::string& id) {
    result::Process process;
    process.family = "host";
    process.exit_code = 0;
    process.samples = run::good_samples("host");
    KeptRound out;
    out.run.id = "0000000000000000000000000" + id;
    out.run.complete = true;
    out.run.started = "2026-01-01T00:00:00Z";
    out.run.profile = "quick";
    out.run.device = "host";
    out.run.boot_id = "boot";
    out.run.fingerprint.stack["driver.version"] = "580.65.06";
    out.run.fingerprint.settings["gpu.0.power_limit_watt"] = "700";
    out.run.processes = {process};
    out.attempt = attempt;
    return out;
  }

  void keep(UpgradeSide side, const KeptRound& one, const UpgradeDevice& device) {
    const auto folder = one.attempt == 0 ? side_folder(kept_, side, device)
                                         : attempt_folder(kept_, side, device, one.attempt);
    run::write_text(folder / (one.run.id + ".json"), result::to_json(one.run));
  }

  static std::string ids(const std::vector<KeptRound>& rounds) {
    std::string out;
    for (const KeptRound& one : rounds) out += one.run.id.back();
    return out;
  }

  const UpgradeDevice& host() const { return kept_.record.devices[0]; }
  const UpgradeDevice& links() const { return kept_.record.devices[1]; }

  run::Fakes fakes_;
  KeptUpgrade kept_;
};

TEST_F(UpgradeAttempts, WholeRoundsOfTheSameStateCountFromEachAttempt) {
  const CountedRounds out =
      counted_rounds({round(0, "A"), round(1, "B"), round(2, "C")}, kept_.record.attempts, "host");
  EXPECT_EQ(ids(out.rounds), "ABC");
  EXPECT_THAT(out.left_out, IsEmpty());
  EXPECT_TRUE(counted_rounds({}, kept_.record.attempts, "host").rounds.empty());
}

TEST_F(UpgradeAttempts, WhatFailedBeforeItWasMendedDoesNotCount) {
  KeptRound failed = round(1, "A");
  failed.run.processes[0].status = result::Status::failed;
  failed.run.processes[0].reason = "it crashed.";
  KeptRound wrong = round(1, "B");
  wrong.run.processes[0].samples->benchmarks[0].verifications[0].passed = false;
  const CountedRounds out =
      counted_rounds({failed, wrong, round(1, "C"), round(2, "D")}, kept_.record.attempts, "host");
  EXPECT_EQ(ids(out.rounds), "CD");
  EXPECT_THAT(out.left_out,
              ElementsAre("Left out: 2 rounds of an earlier `upgrade end`: run 0000000000000000000000000A "
                          "cannot be part of a baseline: family host process 0 is failed: it crashed."));
  // The latest attempt counts whatever it shows.
  KeptRound latest = failed;
  latest.attempt = 2;
  EXPECT_EQ(ids(counted_rounds({latest}, kept_.record.attempts, "host").rounds), "A");
}

TEST_F(UpgradeAttempts, AnotherSettingIsAnotherState) {
  KeptRound slow = round(1, "A");
  slow.run.fingerprint.settings["gpu.0.power_limit_watt"] = "100";
  const CountedRounds out = counted_rounds({slow, round(2, "B")}, kept_.record.attempts, "host");
  EXPECT_EQ(ids(out.rounds), "B");
  EXPECT_THAT(out.left_out, ElementsAre("Left out: 1 round of an earlier `upgrade end`, with other settings: "
                                        "settings.gpu.0.power_limit_watt (700 now, 100 then)."));
}

TEST_F(UpgradeAttempts, WhatACauseWasFoundForWasMeasuredBeforeItWasMended) {
  kept_.record.attempts[0].causes = {{"host", "cpu_contention"}, {"links", "x"}};
  const std::vector<KeptRound> rounds{round(1, "A"), round(2, "B")};
  const CountedRounds out = counted_rounds(rounds, kept_.record.attempts, "host");
  EXPECT_EQ(ids(out.rounds), "B");
  EXPECT_THAT(
      out.left_out,
      ElementsAre(
          "Left out: 1 round of an earlier `upgrade end`, which named what to mend: cpu_contention."));
  EXPECT_EQ(ids(counted_rounds(rounds, kept_.record.attempts, "GPU-a").rounds), "AB");
}

TEST_F(UpgradeAttempts, NoClockSaysWhichStateIsTheLatest) {
  KeptRound old = round(1, "A");
  old.run.started = "2099-01-01T00:00:00Z";
  old.run.fingerprint.stack["driver.version"] = "575.57.08";
  keep(UpgradeSide::new_stack, old, host());
  keep(UpgradeSide::new_stack, round(2, "B"), host());
  KeptRound next = round(2, "C");
  next.run.round = 2;
  next.run.started = "2020-01-01T00:00:00Z";
  keep(UpgradeSide::new_stack, next, host());
  const std::vector<KeptRound> rounds = kept_rounds(kept_, UpgradeSide::new_stack, host());
  EXPECT_EQ(ids(rounds), "ABC");
  const CountedRounds out = counted_rounds(rounds, kept_.record.attempts, "host");
  EXPECT_EQ(ids(out.rounds), "BC");
  EXPECT_THAT(out.left_out, ElementsAre("Left out: 1 round of another state of the stack; it was changed "
                                        "again since."));
}

TEST_F(UpgradeAttempts, RoundsOfARecordThatKnewNoAttemptsComeFirst) {
  keep(UpgradeSide::new_stack, round(0, "A"), host());
  keep(UpgradeSide::new_stack, round(10, "C"), host());
  keep(UpgradeSide::new_stack, round(9, "B"), host());
  EXPECT_EQ(ids(kept_rounds(kept_, UpgradeSide::new_stack, host())), "ABC");
  EXPECT_TRUE(new_stack_measured(kept_));
  EXPECT_TRUE(kept_rounds(kept_, UpgradeSide::returned, host()).empty());
}

TEST_F(UpgradeAttempts, AnUnfinishedAttemptGoesOnWhereNothingDiffers) {
  const result::Fingerprint now = round(1, "A").run.fingerprint;
  kept_.record.attempts = {attempt(UpgradeSide::new_stack, false)};
  KeptRound whole = round(1, "A");
  keep(UpgradeSide::new_stack, whole, host());
  EXPECT_EQ(begin_attempt(kept_, UpgradeSide::new_stack, "boot", now), 1);
  EXPECT_EQ(missing_rounds(kept_, UpgradeSide::new_stack, host(), 1), 1);
  EXPECT_EQ(missing_rounds(kept_, UpgradeSide::new_stack, links(), 1), 2);
  // An end that measured nothing meanwhile changes nothing.
  kept_.record.attempts.push_back(attempt(UpgradeSide::none, false));
  EXPECT_EQ(begin_attempt(kept_, UpgradeSide::new_stack, "boot", now), 1);
  EXPECT_EQ(kept_.record.attempts.size(), 2U);
  EXPECT_EQ(begin_attempt(kept_, UpgradeSide::new_stack, "another boot", now), 3);
  EXPECT_EQ(kept_.record.attempts.back().side, UpgradeSide::new_stack);
  EXPECT_FALSE(kept_.record.attempts.back().finished);
  // Nothing is measured in the new one yet: it is the one that goes on.
  EXPECT_EQ(begin_attempt(kept_, UpgradeSide::new_stack, "another boot", now), 3);
  EXPECT_EQ(begin_attempt(kept_, UpgradeSide::returned, "another boot", now), 4);
}

TEST_F(UpgradeAttempts, AnotherStackOrSettingBeginsAnew) {
  kept_.record.attempts = {attempt(UpgradeSide::new_stack, false)};
  keep(UpgradeSide::new_stack, round(1, "A"), links());
  result::Fingerprint now = round(1, "A").run.fingerprint;
  now.settings["gpu.0.power_limit_watt"] = "100";
  EXPECT_EQ(begin_attempt(kept_, UpgradeSide::new_stack, "boot", now), 2);
  kept_.record.attempts = {attempt(UpgradeSide::new_stack, true)};
  EXPECT_EQ(begin_attempt(kept_, UpgradeSide::new_stack, "boot", round(1, "A").run.fingerprint), 2);
}

TEST_F(UpgradeAttempts, AnAttemptIsOfASideThatEndMeasures) {
  for (const UpgradeSide side : {UpgradeSide::none, UpgradeSide::new_stack, UpgradeSide::returned})
    EXPECT_EQ(side_of_attempt(to_string(side)), side);
  for (const std::string_view word : {"", "New", "old", "measuring"})
    EXPECT_EQ(side_of_attempt(word), std::nullopt) << word;
}

}  // namespace
}  // namespace gpugauge::conductor
