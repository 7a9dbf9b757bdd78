// What `upgrade end` measures, and which rounds of which side it judges.
#include "conductor/upgrade_end.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "unit/conductor/upgrade_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = stack::LayerChange::State;

class UpgradeEnds : public Upgrade {
 protected:
  UpgradeEnds() {
    kept_.record.rounds = 2;
    kept_.record.state = UpgradeState::open;
    end_.change = change_of("driver", State::changed);
  }

  /// Measures the old side at 1 ms and opens the upgrade.
  void measure_before() {
    ASSERT_EQ(measure_old_side(), "");
    end_.kept = kept_;
  }

  std::string measure_now() {
    Choice choice = choice_;
    return measure_end(end_, {{target_, std::move(choice)}}, options_, {}, [&] { ++devices_done_; });
  }

  std::size_t whole(UpgradeSide side) { return kept_rounds(end_.kept, side, device()).size(); }

  UpgradeEnd end_;
  int devices_done_ = 0;
};

TEST_F(UpgradeEnds, WhoseRoundsAreMeasuredFollowsFromTheChange) {
  end_.kept = kept_;
  EXPECT_EQ(choose_side(end_, false), "");
  EXPECT_EQ(end_.side, UpgradeSide::new_stack);

  end_.change = {};
  EXPECT_EQ(choose_side(end_, false),
            "nothing changed: the stack is what `upgrade begin` recorded, so that there is nothing to "
            "compare; --anyway measures it all the same");
  EXPECT_EQ(choose_side(end_, true), "");
  EXPECT_EQ(end_.side, UpgradeSide::returned) << "its rounds are of the old stack";

  end_.change = change_of("driver", State::unchanged);
  end_.change.layers.push_back(change_of("nccl", State::unplanned).layers.front());
  EXPECT_EQ(choose_side(end_, false),
            "the planned change did not take place: driver; something else changed; --anyway judges that");
  EXPECT_EQ(choose_side(end_, true), "");
  EXPECT_EQ(end_.side, UpgradeSide::new_stack);
}

TEST_F(UpgradeEnds, TheOldStackIsBackWhereTheNewOneWasMeasured) {
  measure_before();
  ASSERT_EQ(measure_now(), "");
  end_.change = {};
  EXPECT_EQ(choose_side(end_, false), "");
  EXPECT_EQ(end_.side, UpgradeSide::returned);
}

TEST_F(UpgradeEnds, ADriverThatIsHalfInUseIsMeasuredByNobody) {
  end_.kept = kept_;
  end_.before.present("driver.kernel_module_version", "570.86.15", "made");
  end_.before.present("driver.libcuda_version", "570.86.15", "made");
  end_.now.present("driver.kernel_module_version", "570.86.15", "made");
  end_.now.present("driver.libcuda_version", "580.65.06", "made");
  EXPECT_THAT(choose_side(end_, true), HasSubstr("is still 570.86.15, while the driver's libraries are"));
}

TEST_F(UpgradeEnds, AWordOfTheRecordNeedNotSelectSomethingOnEachDevice) {
  Catalogue made;
  made.families = {{"gemm", "/x/gemm"}, {"host", "/x/host"}};
  made.benchmarks = {{"gemm/bf16/8192", "gemm", "gemm16", "", "", DeviceKind::gpu, "quick"},
                     {"host/copy/one_core", "host", "host_memory", "", "", DeviceKind::host, "smoke"}};
  kept_.record.only = {"gemm16"};
  const std::vector<Target> targets{{DeviceKind::gpu, "GPU-a", "GPU 0"}, {DeviceKind::host, "host", "Host"}};
  const std::vector<Chosen> chosen = choose_as_begun(kept_.record, made, run::profile("quick"), targets);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen.front().target.selection, "GPU-a");
  EXPECT_THROW(choose_for(made, run::profile("quick"), targets, {}, {"gemm16"}), result::UsageError);
}

TEST_F(UpgradeEnds, AnAttemptIsNotedWithItsStackBeforeItsRounds) {
  measure_before();
  end_.now.present("driver.version", "580.65.06", "made");
  options_.progress = [&](const report::ProgressState&) {
    const auto noted = open_upgrade(fakes_.path() / "state");
    ASSERT_TRUE(noted.has_value());
    ASSERT_EQ(noted->record.attempts.size(), 1U);
    EXPECT_FALSE(noted->record.attempts.front().finished);
    EXPECT_TRUE(std::filesystem::exists(stack_file(*noted, 1)));
  };
  EXPECT_EQ(measure_now(), "");
  EXPECT_EQ(end_.attempt, 1);
  EXPECT_EQ(devices_done_, 1);
  EXPECT_EQ(whole(UpgradeSide::new_stack), 2U);
  EXPECT_EQ(result::read_file(stack_file(end_.kept, 1)), stack::to_json(end_.now));
}

TEST_F(UpgradeEnds, AStoppedAttemptKeepsItsRoundsAndGoesOn) {
  measure_before();
  stop_in_second_round(SIGTERM);
  EXPECT_NE(measure_now(), "");
  EXPECT_EQ(devices_done_, 1);
  EXPECT_EQ(whole(UpgradeSide::new_stack), 1U);
  go_on();
  EXPECT_EQ(measure_now(), "");
  EXPECT_EQ(end_.attempt, 1);
  EXPECT_EQ(whole(UpgradeSide::new_stack), 2U);
}

TEST_F(UpgradeEnds, TheNewStackIsJudgedByItsRoundsOfNow) {
  measure_before();
  latency(2e-3);
  ASSERT_EQ(measure_now(), "");
  end_.kept.record.devices.front().label = "Host node3";
  const report::Report judged = judge_end(end_, {}, false);
  EXPECT_EQ(judged.command, "upgrade");
  ASSERT_EQ(judged.devices.size(), 1U);
  EXPECT_EQ(judged.devices.front().label, "Host node3");
  EXPECT_EQ(judged.devices.front().selection, "host");
  EXPECT_EQ(judged.devices.front().files.size(), 2U);
  EXPECT_EQ(judged.outcome.code, judge::ExitCode::regressed) << judged.outcome.sentence;
  // Rounds of an earlier attempt alone say nothing of now.
  end_.attempt = 2;
  EXPECT_THAT([&] { judge_end(end_, {}, false); },
              testing::ThrowsMessage<result::UsageError>(
                  "there is no whole round of one of the two stacks: nothing can be compared"));
}

TEST_F(UpgradeEnds, TheOldStackAgainIsJudgedAgainstItselfAndTheNewOneAgainstBoth) {
  measure_before();
  latency(2e-3);
  ASSERT_EQ(measure_now(), "");
  end_.kept.record.attempts.front().finished = true;
  latency(1e-3);
  end_.side = UpgradeSide::returned;
  end_.change = {};
  ASSERT_EQ(measure_now(), "");
  EXPECT_EQ(end_.attempt, 2);
  const report::Report judged = judge_end(end_, {}, false);
  EXPECT_EQ(judged.outcome.code, judge::ExitCode::pass) << judged.outcome.sentence;
  const report::DeviceReport& device = judged.devices.front();
  EXPECT_EQ(device.rounds.size(), 2U);
  ASSERT_GE(device.remarks.size(), 2U);
  EXPECT_THAT(device.remarks[0],
              HasSubstr("The new stack against both measurements of the old one (A/B/A): regressed"));
  EXPECT_EQ(device.remarks[1], "Below: the old stack now against the old stack before the change.")
      << "the versions are the same: going back tells nothing of them";
  EXPECT_FALSE(device.going_back.has_value());
}

TEST_F(UpgradeEnds, WhatAPolicyCanReachIsKnownFromTheOldSide) {
  measure_before();
  const judge::SeenMetrics seen = old_metrics(end_.kept);
  EXPECT_THAT(seen.benchmarks, ElementsAre("host/op"));
  EXPECT_THAT(seen.classes, ElementsAre("host_cpu"));
  kept_.record.devices.clear();
  EXPECT_THAT(old_metrics(kept_).benchmarks, IsEmpty());
}

}  // namespace
}  // namespace gpugauge::conductor
