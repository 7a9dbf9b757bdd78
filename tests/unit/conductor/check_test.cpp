// The loop itself, with a family made of a few lines of shell.
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "check_fixture.hpp"
#include "conductor/pause.hpp"
#include "conductor/rounds.hpp"
#include "result/file.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST_F(Check, AHealthyMachinePassesInOneRound) {
  pin();
  latency(1.0025e-3);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_EQ(device.rounds.size(), 1U);
}

TEST_F(Check, AnInterruptionWhileWaitingEndsWithCannotJudge) {
  pin();
  latency(1.5e-3);
  when("waiting before round 3", [] { std::raise(SIGINT); });
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge) << device.outcome.sentence;
  EXPECT_EQ(device.rounds.size(), 2U);
  EXPECT_THAT(device.remarks, Contains(HasSubstr("Interrupted while waiting")));
}

TEST_F(Check, AStopThatFindsAWholeRoundEndsTheMeasuringAndKeepsIt) {
  pin();
  latency(1.5e-3);
  stop_when_round_ends(1);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge) << device.outcome.sentence;
  ASSERT_EQ(device.rounds.size(), 1U);
  EXPECT_TRUE(device.rounds.front().complete);
  EXPECT_EQ(device.files.size(), 1U);
  EXPECT_TRUE(device.interrupted);
  EXPECT_THAT(device.remarks, Contains("SIGTERM asked to stop when round 1 was whole."));
  EXPECT_THAT(device.remarks, Not(Contains(HasSubstr("another device"))));
}

TEST_F(Check, AStopThatFindsNothingInDoubtLeavesTheVerdict) {
  pin();
  latency(1.0025e-3);
  stop_when_round_ends(1);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_FALSE(device.interrupted);
  EXPECT_TRUE(device.stopped_when_decided);
}

TEST_F(Check, RoundsInARowEndAfterTheOneInWhichAStopCame) {
  latency(1e-3);
  stop_when_round_ends(2);
  for (const int last : {2, 4}) {
    const Rounds rounds = measure_rounds(options_.measure, target_, choice_, {}, 1, last, false);
    EXPECT_EQ(rounds.whole.size(), 2U);
    EXPECT_EQ(rounds.stopped_by, "SIGTERM");
    EXPECT_EQ(rounds.stopped, last == 2 ? "" : "SIGTERM asked to stop when round 2 of 4 was whole");
  }
}

TEST_F(Check, WhereNoFurtherRoundCanBeMeasuredThoseBeforeAreJudged) {
  pin();
  latency(1.5e-3);
  when("waiting before round 3", [this] {
    std::filesystem::remove_all(options_.measure.runs_folder);
    run::write_text(options_.measure.runs_folder, "in the folder's place");
  });
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.rounds.size(), 2U);
  EXPECT_FALSE(device.verdicts.empty());
  EXPECT_FALSE(device.interrupted);
  EXPECT_THAT(device.broke_off, HasSubstr("round 3 was not measured"));
  EXPECT_THAT(device.remarks, Contains(HasSubstr("Judged by 2 rounds: another could not be measured: ")));
}

TEST_F(Check, BeginsNoRoundThatWouldEndAfterTheBudget) {
  pin();
  latency(1.5e-3);
  // A benchmark that is planned with an hour: whatever the first round took, another one does not fit.
  choice_.planned = {{"host/op", options_.measure.profile.processes, 3600}};
  choice_.start_seconds = {{"host", 1}};
  options_.budget_seconds = 1e-3;
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.rounds.size(), 1U);
  EXPECT_THAT(device.remarks,
              Contains(HasSubstr("ended the measuring of host after 1 round: 1 benchmark was still in "
                                 "doubt, and another round of it would take about")));
}

TEST_F(Check, WhatOtherDevicesTookOfTheBudgetIsNotThereForThisOne) {
  pin();
  latency(1.5e-3);
  options_.budget_seconds = options_.spent_seconds = 600;
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.rounds.size(), 1U);
  EXPECT_THAT(device.remarks,
              Contains(HasSubstr("The time budget of 600 s, of which other devices took 600 s, "
                                 "ended the measuring of host after 1 round")));
}

TEST_F(Check, TheFirstRoundCostsNothingOfTheBudget) {
  pin();
  latency(1.5e-3);
  when("round 1 of host", [] { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
  options_.budget_seconds = .3;  // less than the pause before the third round
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.rounds.size(), 2U);
  EXPECT_GE(device.seconds, .3);
  EXPECT_LT(device.further_seconds, device.seconds - .25);
}

TEST_F(Check, ADeviceThatIsWholeAndInNoDoubtIsNotInterruptedWithItsNeighbour) {
  pin();
  const auto checked = [&](double seconds) {
    return check_in_step(options_, {target_, {DeviceKind::host, "host", "another host"}}, choice_,
                         [&](int round, const std::vector<std::string>& only) {
                           latency(seconds);
                           std::vector<Stored> out;
                           out.push_back(measure(options_.measure, target_, choice_, {}, round, only));
                           out.push_back(measure(options_.measure, target_, choice_, {}, round, only));
                           out[1].run.complete = false;
                           out[1].run.partial_reason = "SIGTERM stopped the run";
                           return out;
                         });
  };
  const std::vector<report::DeviceReport> fine = checked(1.0025e-3);
  EXPECT_FALSE(fine[0].interrupted);
  EXPECT_EQ(fine[0].outcome.code, judge::ExitCode::pass) << fine[0].outcome.sentence;
  EXPECT_THAT(fine[0].remarks, Contains(HasSubstr("this one's is whole")));
  EXPECT_TRUE(fine[1].interrupted);
  EXPECT_EQ(fine[1].outcome.code, judge::ExitCode::cannot_judge);
  const std::vector<report::DeviceReport> slow = checked(1.5e-3);
  EXPECT_TRUE(slow[0].interrupted) << "a further round was to decide";
  EXPECT_THAT(slow[0].remarks, Contains(HasSubstr("ended the measuring for all")));
}

TEST_F(Check, DevicesInStepAreMeasuredAgainTogetherWhenOneIsInDoubt) {
  pin();
  options_.budget_seconds = 4;  // less than the pause before the third round
  const std::vector<std::pair<Target, double>> devices{{target_, 1.0025e-3},
                                                       {{DeviceKind::host, "host", "another host"}, 1.5e-3}};
  std::vector<std::vector<std::string>> asked;
  const std::vector<report::DeviceReport> reports =
      check_in_step(options_, {devices[0].first, devices[1].first}, choice_,
                    [&](int round, const std::vector<std::string>& only) {
                      asked.push_back(only);
                      std::vector<Stored> out;
                      for (const auto& [target, seconds] : devices) {
                        latency(seconds);
                        out.push_back(measure(options_.measure, target, choice_, {}, round, only));
                      }
                      return out;
                    });
  ASSERT_EQ(reports.size(), 2U);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_TRUE(asked[0].empty());
  EXPECT_EQ(asked[1], std::vector<std::string>{"host/op"});
  for (const report::DeviceReport& report : reports) {
    EXPECT_EQ(report.rounds.size(), 2U);
    EXPECT_THAT(report.remarks,
                Contains(HasSubstr("The time budget of 4 s ended the measuring after 2 rounds")));
  }
  EXPECT_EQ(reports[0].outcome.code, judge::ExitCode::pass) << reports[0].outcome.sentence;
  EXPECT_NE(reports[1].outcome.sentence, reports[0].outcome.sentence);
  EXPECT_EQ(reports[1].label, "another host");
}

TEST_F(Check, APartialRoundOfOneDeviceEndsItForAllInStep) {
  pin();
  latency(1.5e-3);
  const std::vector<report::DeviceReport> reports = check_in_step(
      options_, {target_, target_}, choice_, [&](int round, const std::vector<std::string>& only) {
        std::vector<Stored> out;
        out.push_back(measure(options_.measure, target_, choice_, {}, round, only));
        out.push_back(measure(options_.measure, target_, choice_, {}, round, only));
        out.back().run.complete = false;
        out.back().run.partial_reason = "its command was killed";
        return out;
      });
  for (const report::DeviceReport& report : reports) {
    EXPECT_EQ(report.rounds.size(), 1U);
    EXPECT_TRUE(report.interrupted);
    EXPECT_EQ(report.outcome.code, judge::ExitCode::cannot_judge) << report.outcome.sentence;
  }
  EXPECT_THAT(reports[0].remarks, Contains(HasSubstr("The round of another device")));
  EXPECT_THAT(reports[1].remarks, Not(Contains(HasSubstr("The round of another device"))));
}

TEST_F(Check, ADeviceThatWasNotMeasuredIsHeldAgainstNoBaseline) {
  pin();
  latency(1e-3);
  const std::vector<report::DeviceReport> reports = check_in_step(
      options_, {target_, target_}, choice_, [&](int round, const std::vector<std::string>& only) {
        std::vector<Stored> out(2);
        out[0] = measure(options_.measure, target_, choice_, {}, round, only);
        out[1].run.device = "host";
        out[1].run.partial_reason = "its command was killed";
        return out;
      });
  EXPECT_THAT(reports[0].baseline_origin, HasSubstr("pinned"));
  EXPECT_EQ(reports[1].baseline_origin, "Nothing was measured, and held against no baseline.");
  EXPECT_THAT(reports[1].remarks, Not(Contains(HasSubstr("Not comparable"))));
  EXPECT_EQ(reports[1].outcome.code, judge::ExitCode::cannot_judge);
}

TEST_F(Check, SaysThatDevicesWereMeasuredTogether) {
  latency(1e-3);
  options_.measure.together = 8;
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_THAT(device.remarks, Contains(HasSubstr("Measured together: 8 GPUs")));
}

TEST_F(Check, WhatIsHeldAgainstNothingIsNoPass) {
  // Without a baseline, and without the facts that a limit would be computed from.
  result::Samples samples = run::good_samples("host");
  result::Metric& metric = samples.benchmarks[0].metrics[0];
  metric.unit = "byte/second";
  metric.metric_class = "hbm";
  metric.better = result::Direction::higher;
  metric.value = 3e12;
  run::write_text(fakes_.path() / "now.json", result::to_json(samples));
  const report::DeviceReport device = check(options_, target_, choice_, {});
  ASSERT_EQ(device.verdicts.size(), 1U);
  EXPECT_THAT(device.verdicts[0].reason, HasSubstr("not held against the memory's bus"));
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge) << device.outcome.sentence;
}

/// SIGHUP ignored, as under nohup, while it lives.
class Nohup {
 public:
  Nohup() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGHUP, &ignore, &before_);
  }
  ~Nohup() { sigaction(SIGHUP, &before_, nullptr); }
  Nohup(const Nohup&) = delete;
  Nohup& operator=(const Nohup&) = delete;

 private:
  struct sigaction before_ {};
};

TEST(Pause, IsEndedByAHangupButNotUnderNohup) {
  const auto hang_up = [](double) { std::raise(SIGHUP); };
  EXPECT_FALSE(pause(.2, hang_up));
  const Nohup nohup;
  EXPECT_TRUE(pause(.2, hang_up));
}

TEST_F(Check, AWrongResultInARepeatedRoundFailsEvenWhenInterruptedAfterIt) {
  pin();
  latency(1.5e-3);
  when("round 2 of host", [&] { latency(1.5e-3, false); });
  when("waiting before round 3", [] { std::raise(SIGINT); });
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.rounds.size(), 2U);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::regressed) << device.outcome.sentence;
  EXPECT_THAT(device.outcome.sentence, HasSubstr("host/op"));
}

}  // namespace
}  // namespace gpugauge::conductor
