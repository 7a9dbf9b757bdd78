// A check after GPUGauge was upgraded: the baseline in force is of the sources before.
#include <cstdlib>
#include <utility>

#include <gmock/gmock.h>

#include "check_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A state folder of its own, with a baseline that the version before measured.
class Upgraded : public Check {
 protected:
  Upgraded() {
    if (const char* before = std::getenv("GPUGAUGE_STATE")) before_ = before;
    ::setenv("GPUGAUGE_STATE", (fakes_.path() / "state").c_str(), 1);
    pin();
    const baseline::Baseline made = baseline::load(std::exchange(options_.baseline, ""));
    std::vector<result::Run> rounds = made.runs;
    for (result::Run& run : rounds) run.fingerprint.suite["suite.source_hash.host"] = std::string(64, 'b');
    baseline::create(fakes_.path() / "state/baselines/gold", "gold", rounds);
  }
  ~Upgraded() override {
    before_.empty() ? ::unsetenv("GPUGAUGE_STATE") : ::setenv("GPUGAUGE_STATE", before_.c_str(), 1);
  }

 private:
  std::string before_;
};

TEST_F(Upgraded, IsNoPassAndSaysWhatToDo) {
  latency(1.3e-3);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_EQ(
      device.outcome.sentence,
      "cannot judge: not comparable with the baseline gold: the sources of the family host differ: another "
      "version of GPUGauge; measure a baseline with this version, `gpugauge baseline create --device host "
      "--profile smoke`, and until it is there check with the version that measured the old one");
  EXPECT_THAT(device.baseline_origin, HasSubstr("Not compared with this machine's own baseline gold"));
  EXPECT_THAT(device.remarks, Contains(HasSubstr("Not comparable with that baseline: the sources of")));
}

TEST_F(Upgraded, WhatFailsByItselfFails) {
  latency(1e-3, false);
  EXPECT_EQ(check(options_, target_, choice_, {}).outcome.code, judge::ExitCode::regressed);
}

TEST_F(Upgraded, JudgesWithTheBaselineThatTheNewVersionMeasured) {
  std::vector<result::Run> rounds;
  for (int round = 1; round <= 5; ++round) {
    latency(1e-3 * (1 + .0005 * round));
    rounds.push_back(measure(options_.measure, target_, choice_, {}, round).run);
  }
  baseline::create(fakes_.path() / "state/baselines/new", "new", rounds);
  latency(1.0025e-3);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_THAT(device.baseline_origin, HasSubstr("own baseline new"));
  EXPECT_THAT(device.remarks, testing::Not(Contains(HasSubstr("gold"))));
}

/// A second family, which the version before measured with these sources; the first one is as it was.
class PartlyUpgraded : public Check {
 protected:
  PartlyUpgraded() {
    pin();
    choice_.families.push_back(fakes_.family("copy", "leave"));
    const baseline::Baseline made = baseline::load(options_.baseline);
    std::vector<result::Run> rounds = made.runs;
    for (result::Run& run : rounds) {
      result::Process process = run.processes.front();
      process.family = "copy";
      process.order = 1;
      process.samples = run::good_samples("copy");
      process.samples->source_hash = std::string(64, 'b');
      run.processes.push_back(process);
      run.fingerprint.suite["suite.source_hash.copy"] = process.samples->source_hash;
    }
    options_.baseline = fakes_.path() / "of_both";
    baseline::create(options_.baseline, "of_both", rounds);
  }
};

TEST_F(PartlyUpgraded, IsNoPassAndTheUnchangedFamilyIsCompared) {
  latency(1.0025e-3);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_EQ(device.outcome.sentence,
            "cannot judge: not wholly comparable with the baseline of_both: the sources of the family copy "
            "differ: another version of GPUGauge; measure a baseline with this version, `gpugauge baseline "
            "create --device host --profile smoke`, and until it is there check with the version that "
            "measured the old one; apart from that 1 of 1 metric within tolerance and limits");
}

TEST_F(PartlyUpgraded, ALossOfTheUnchangedFamilyIsFound) {
  latency(4e-3);
  const report::DeviceReport device = check(options_, target_, choice_, {});
  EXPECT_EQ(device.outcome.code, judge::ExitCode::regressed) << device.outcome.sentence;
  EXPECT_THAT(device.outcome.sentence, HasSubstr("host/op"));
}

}  // namespace
}  // namespace gpugauge::conductor
