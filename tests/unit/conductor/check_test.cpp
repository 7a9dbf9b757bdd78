// The loop itself, with a family made of a few lines of shell.
#include <csignal>

#include <gmock/gmock.h>

#include "conductor/conductor.hpp"
#include "result/file.hpp"
#include "unit/run/fake_family.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Check : public testing::Test {
 protected:
  Check() {
    options_.measure.profile = run::quick_plan({}).profile;
    options_.measure.runs_folder = fakes_.path() / "runs";
    std::filesystem::create_directories(options_.measure.runs_folder);
    choice_.families = {
        fakes_.family("host", "cp '" + (fakes_.path() / "now.json").string() + "' \"$samples\"")};
  }

  /// What the family will measure from now on.
  void latency(double seconds, bool sound = true) {
    result::Samples samples = run::good_samples("host");
    samples.benchmarks[0].metrics[0].value = seconds;
    samples.benchmarks[0].verifications = {{"sum", sound, 0.0, 0.0}};
    run::write_text(fakes_.path() / "now.json", result::to_json(samples));
  }

  /// Five rounds of 1 ms, half a percent apart.
  void pin() {
    std::vector<result::Run> rounds;
    for (int round = 1; round <= 5; ++round) {
      latency(1e-3 * (1 + .005 * round));
      rounds.push_back(measure(options_.measure, target_, choice_, {}, round).run);
    }
    options_.baseline = fakes_.path() / "baseline";
    baseline::create(options_.baseline, "pinned", rounds);
  }

  /// Calls `act` when the command says that it waits before that round.
  void when_waiting(int round, std::function<void()> act) {
    options_.measure.progress = [=](const report::ProgressState& state) {
      if (state.title == "waiting before round " + std::to_string(round)) act();
    };
  }

  run::Fakes fakes_;
  CheckOptions options_;
  Target target_{false, "host", "host"};
  Choice choice_;
};

TEST_F(Check, AHealthyMachinePassesInOneRound) {
  pin();
  latency(1.015e-3);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_EQ(device.rounds.size(), 1U);
}

TEST_F(Check, AnInterruptionWhileWaitingEndsWithCannotJudge) {
  pin();
  latency(2e-3);
  when_waiting(3, [] { std::raise(SIGINT); });
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge) << device.outcome.sentence;
  EXPECT_EQ(device.rounds.size(), 2U);
  EXPECT_THAT(device.remarks, Contains(HasSubstr("Interrupted while waiting")));
}

TEST_F(Check, AWrongResultInARepeatedRoundFails) {
  pin();
  latency(2e-3);
  when_waiting(3, [&] { latency(2e-3, false); });
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::regressed) << device.outcome.sentence;
  EXPECT_THAT(device.outcome.sentence, HasSubstr("host/op"));
}

}  // namespace
}  // namespace gpugauge::conductor
