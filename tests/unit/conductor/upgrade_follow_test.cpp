// What follows from a verdict of `upgrade end`, by whose rounds were judged and what of the plan is there.
#include "conductor/upgrade_follow.hpp"

#include <gmock/gmock.h>

#include "unit/conductor/upgrade_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using judge::ExitCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = stack::LayerChange::State;

class UpgradeFollows : public testing::Test {
 protected:
  UpgradeFollows() {
    end_.kept.folder = upgrade_folder(fakes_.path() / "state", "one");
    end_.kept.record.name = "one";
    end_.kept.record.created = "2026-01-01T00:00:00Z";
    end_.kept.record.who = "root@node3";
    end_.kept.record.root = "/";
    end_.kept.record.device = "host";
    end_.kept.record.profile = "quick";
    end_.kept.record.rounds = 2;
    end_.kept.record.state = UpgradeState::open;
    end_.kept.record.devices = {{"host", "host"}};
    end_.change = change_of("driver", State::reached);
    end_.attempt = 1;
    end_.kept.record.attempts.resize(1);
    report_.devices.resize(1);
    report_.devices.front().label = report_.devices.front().selection = "host";
    report_.devices.front().files = {"/state/new/1/a b.json", "/state/new/1/c.json"};
  }

  void judged(ExitCode code, const std::string& sentence) { report_.outcome = {code, sentence}; }

  /// A verdict against the new stack that nothing else explains.
  void regressed() {
    judged(ExitCode::regressed, "regressed: 1 metric");
    judge::Verdict verdict;
    verdict.kind = judge::VerdictKind::regressed;
    report_.devices.front().verdicts = {verdict};
  }

  void keep_new_round() const {
    result::Run run;
    run.id = std::string(26, 'A');
    run.complete = true;
    run.started = "2026-01-01T00:00:00Z";
    run.profile = "quick";
    run.device = "host";
    run.boot_id = "boot";
    const UpgradeDevice& device = end_.kept.record.devices.front();
    run::write_text(attempt_folder(end_.kept, UpgradeSide::new_stack, device, 1) / "a.json",
                    result::to_json(run));
  }

  run::Fakes fakes_;
  UpgradeEnd end_;
  report::Report report_;
};

TEST_F(UpgradeFollows, APassOfThePlannedStackClosesItAndSaysHowToKeepIt) {
  judged(ExitCode::pass, "pass");
  const Followed out = follow(end_, report_);
  EXPECT_EQ(out.state, UpgradeState::passed);
  EXPECT_EQ(out.last, "upgrade one is closed: passed");
  ASSERT_FALSE(out.to_keep_it.empty());
  EXPECT_THAT(out.to_keep_it.front().commands,
              ElementsAre("gpugauge baseline create '/state/new/1/a b.json' /state/new/1/c.json"));
  EXPECT_THAT(out.sentences, IsEmpty());
  EXPECT_THAT(out.way_back, IsEmpty());
}

TEST_F(UpgradeFollows, APassOfHalfThePlanLeavesItOpen) {
  end_.change.layers.push_back(change_of("cuda", State::partly).layers.front());
  judged(ExitCode::pass, "pass");
  const Followed out = follow(end_, report_);
  EXPECT_EQ(out.state, UpgradeState::open);
  EXPECT_EQ(out.last,
            "upgrade one stays open: not all that was planned is there; `gpugauge upgrade end` again when it "
            "is, or `gpugauge upgrade close --reason ...`");
  EXPECT_THAT(out.to_keep_it, IsEmpty());
}

TEST_F(UpgradeFollows, NothingDecidedSpeaksForNothing) {
  judged(ExitCode::pass, "inconclusive");
  report_.outcome.decided = false;
  for (const UpgradeSide side : {UpgradeSide::new_stack, UpgradeSide::returned}) {
    end_.side = side;
    const Followed out = follow(end_, report_);
    EXPECT_EQ(out.state, UpgradeState::open);
    EXPECT_THAT(out.last, HasSubstr("upgrade one stays open: nothing could be decided"));
  }
}

TEST_F(UpgradeFollows, ASlowerStackIsGoneBackFromByWhatWasRecorded) {
  regressed();
  const Followed without = follow(end_, report_);
  EXPECT_EQ(without.state, UpgradeState::open);
  EXPECT_EQ(without.last, "upgrade one stays open: `gpugauge upgrade end` measures again");
  EXPECT_THAT(without.way_back, IsEmpty());
  EXPECT_THAT(without.sentences,
              ElementsAre(HasSubstr("1 verdict against the new stack"),
                          "No package or version differs that these commands could bring back; " +
                              (end_.kept.folder / "way-back.txt").string() + " lists what was recorded."));

  end_.before.present("wheel.torch.version", "2.8.0", "made");
  end_.now.present("wheel.torch.version", "2.9.0", "made");
  const Followed with = follow(end_, report_);
  EXPECT_FALSE(with.way_back.empty());
  EXPECT_THAT(with.sentences, ElementsAre(HasSubstr("1 verdict against the new stack")));
}

TEST_F(UpgradeFollows, AReturnToAMachineThatIsAsItWasClosesIt) {
  end_.side = UpgradeSide::returned;
  judged(ExitCode::pass, "pass");
  Followed out = follow(end_, report_);
  EXPECT_EQ(out.state, UpgradeState::open) << "nobody went away";
  EXPECT_EQ(out.last,
            "upgrade one stays open: nothing changed yet, and the old stack measured again agrees with "
            "itself; make the change");
  keep_new_round();
  diagnose::Finding finding;
  finding.cause = "driver_regression";
  finding.score = .8;
  report_.devices.front().going_back.emplace().diagnosis.findings = {finding};
  out = follow(end_, report_);
  EXPECT_EQ(out.state, UpgradeState::returned);
  EXPECT_EQ(out.last, "upgrade one is closed: the machine is as it was before it");
  EXPECT_THAT(out.findings, ElementsAre(UpgradeFinding{"host", "driver_regression", .8}));
}

TEST_F(UpgradeFollows, AReturnToAnotherMachineClearsTheChangeOrTellsNothing) {
  end_.side = UpgradeSide::returned;
  regressed();
  EXPECT_EQ(follow(end_, report_).last,
            "Nothing changed in the stack, and the machine is not what it was when the upgrade began: no "
            "change of versions is the cause; find it before you make one.");
  judged(ExitCode::cannot_judge, "cannot judge: x");
  EXPECT_EQ(follow(end_, report_).last,
            "Nothing changed in the stack, and whether the machine is what it was when the upgrade began "
            "could not be told: cannot judge: x; upgrade one stays open, and `gpugauge upgrade end --anyway` "
            "measures again");
  keep_new_round();
  EXPECT_EQ(follow(end_, report_).last,
            "The stack is the old one again, and whether the machine is what it was when the upgrade began "
            "could not be told: cannot judge: x; upgrade one stays open, and `gpugauge upgrade end` measures "
            "again");
  regressed();
  EXPECT_EQ(follow(end_, report_).last,
            "The stack is the old one again, and the machine is not what it was: the change of versions is "
            "not, or not alone, the cause.");
  EXPECT_EQ(follow(end_, report_).state, UpgradeState::open);
}

TEST_F(UpgradeFollows, HowItEndedIsNotedAtTheAttemptThatWasBegun) {
  Followed followed;
  followed.state = UpgradeState::passed;
  followed.causes = {{"host", "cpu_contention"}};
  followed.way_back = {{"a", "b", {"sudo x", "sudo y"}}, {"c", "d", {"sudo z"}}};
  record_end(end_, {ExitCode::pass, "pass"}, followed, true);
  const std::vector<KeptUpgrade> all = list_upgrades(fakes_.path() / "state");
  ASSERT_EQ(all.size(), 1U);
  const UpgradeRecord& record = all.front().record;
  EXPECT_EQ(record.state, UpgradeState::passed);
  EXPECT_NE(record.closed, "");
  ASSERT_EQ(record.attempts.size(), 1U);
  EXPECT_EQ(record.attempts[0].side, UpgradeSide::new_stack);
  EXPECT_EQ(record.attempts[0].sentence, "pass");
  EXPECT_TRUE(record.attempts[0].finished);
  EXPECT_THAT(record.attempts[0].way_back, ElementsAre("sudo x", "sudo y", "sudo z"));
  EXPECT_THAT(record.attempts[0].causes, ElementsAre(UpgradeCause{"host", "cpu_contention"}));
}

TEST_F(UpgradeFollows, AnEndThatMeasuredNothingIsAnAttemptOfItsOwn) {
  end_.attempt = 0;
  record_end(end_, {ExitCode::cannot_judge, "cannot judge: x"}, {}, false);
  const UpgradeRecord record = list_upgrades(fakes_.path() / "state").front().record;
  EXPECT_EQ(record.state, UpgradeState::open);
  EXPECT_EQ(record.closed, "");
  ASSERT_EQ(record.attempts.size(), 2U);
  EXPECT_EQ(record.attempts[1].side, UpgradeSide::none);
  EXPECT_EQ(record.attempts[1].exit_code, 3);
  EXPECT_FALSE(record.attempts[1].finished);
}

}  // namespace
}  // namespace gpugauge::conductor
