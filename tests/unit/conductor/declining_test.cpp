// What the monitor alarms of, in a check: measured once more, told, and no part of the judgement.
#include <filesystem>
#include <stdexcept>
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

TEST_F(Declining, WhatFailsAndCannotBeKeptIsSaidAndNamesNoFile) {
  when("round 2 of", [this] {
    latency(1.08e-3, false);
    std::filesystem::remove_all(options_.measure.runs_folder);
    run::write_text(options_.measure.runs_folder, "in the folder's place");
  });
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::regressed) << device.outcome.sentence;
  EXPECT_THAT(device.files, testing::SizeIs(1)) << "of the first round";
  EXPECT_THAT(device.not_kept, testing::SizeIs(1));
}

TEST_F(Declining, WhyItCouldNotBeMeasuredAgainIsSaid) {
  int rounds = 0;
  const auto device = std::move(
      check_in_step(options_, {target_}, choice_, [&](int round, const std::vector<std::string>& only) {
        if (++rounds > 1) throw std::runtime_error("no room for it");
        std::vector<Stored> one;
        one.push_back(measure(options_.measure, target_, choice_, {}, round, only));
        return one;
      }).front());
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_THAT(device.remarks,
              Contains("What the monitor alarms of could not be measured again: no room for it."));
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
