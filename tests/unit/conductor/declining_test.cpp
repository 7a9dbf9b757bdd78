// What the monitor alarms of, in a check: measured once more, told, and no part of the judgement.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "check_fixture.hpp"
#include "conductor/nightly.hpp"

namespace gpugauge::conductor {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

/// A baseline of ten rounds, each of a boot of its own, and two nights on which it was 8% slower, of 10% tolerance: a
/// third one alarms.
class Declining : public Check {
 protected:
  Declining() {
    std::vector<result::Run> rounds;
    for (int round = 1; round <= 10; ++round) {
      latency(1e-3 * (1 + .0005 * round));
      rounds.push_back(measure(options_.measure, target_, choice_, {}, round).run);
      rounds.back().boot_id = fmt::format("boot {}", round);
    }
    options_.baseline = fakes_.path() / "baseline";
    baseline::create(options_.baseline, "pinned", rounds);
    options_.monitor_folder = fakes_.path() / "monitor";
    latency(1.08e-3);
    for (const char* const started : {"2026-01-01T02:00:00Z", "2026-01-02T02:00:00Z"}) {
      result::Run run = measure(options_.measure, target_, choice_, {}, 1).run;
      run.started = started;
      const Nightly night =
          add_to_nights(options_.monitor_folder, run, baseline::load(options_.baseline), {});
      EXPECT_THAT(night.declines, testing::IsEmpty());
    }
  }
};

TEST_F(Declining, IsMeasuredOnceMoreToldAndDecidesNothing) {
  for (const char* const again : {"the third night", "asked again in the same hour"}) {
    const report::DeviceReport device = check(options_, target_, choice_, {});
    EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
    EXPECT_EQ(device.rounds.size(), 1U) << "the round of the monitor judges nothing";
    EXPECT_THAT(device.remarks,
                Contains(AllOf(HasSubstr("The monitor alarms"), HasSubstr("in 3 checks since 2026-01-01"),
                               HasSubstr("when measured again"))))
        << again;
    ASSERT_EQ(device.declines.size(), 1U);
  }
}

TEST_F(Declining, IsNotToldWhereItsOwnRoundDoesNotConfirmIt) {
  when("round 2 of", [this] { latency(1e-3); });
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_THAT(device.declines, testing::IsEmpty());
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass);
}

TEST_F(Declining, AStopInItsRoundLeavesTheVerdict) {
  stop_when_round_ends(2);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_FALSE(device.interrupted);
  EXPECT_TRUE(device.told_to_stop);
  EXPECT_THAT(device.remarks, Contains("SIGTERM asked to stop when all was decided."));
}

TEST_F(Declining, WhatFailsInItsRoundCounts) {
  when("round 2 of", [this] { latency(1.08e-3, false); });
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::regressed) << device.outcome.sentence;
}

TEST_F(Declining, WithoutTimeForAnotherRoundThatIsSaid) {
  options_.budget_seconds = 0;
  choice_.planned = {{"host/op", 1, 5}};
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_THAT(device.remarks, Contains(HasSubstr("(not measured again)")));
}

}  // namespace
}  // namespace gpugauge::conductor
