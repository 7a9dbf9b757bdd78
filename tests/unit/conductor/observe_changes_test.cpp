// What differs between two sides, as an observation says it: whose setting it is, which way it went, and what
// was the same on both.
#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

/// Two rounds of GPU 0 of two, nothing different between them.
class ObserveChanges : public testing::Test {
 protected:
  ObserveChanges() {
    result::Run run;
    run.device = "GPU-0";
    run.complete = true;
    run.fingerprint.device = {{"host.cpus", "8"},
                              {"gpu.0.uuid", "GPU-0"},
                              {"gpu.0.name", "NVIDIA L40S"},
                              {"gpu.0.compute_capability", "8.9"},
                              {"gpu.1.uuid", "GPU-1"}};
    run.fingerprint.stack = {{"driver.version", "550.54.14"}, {"cuda.driver_version", "12.4"}};
    run.fingerprint.settings = {{"host.cpus_allowed", "0-7"}, {"host.governor", "performance"}};
    for (const char* gpu : {"gpu.0.", "gpu.1."})
      for (const auto& [name, value] : result::Facts{{"power_limit_watt", "350"},
                                                     {"power_limit_default_watt", "350"},
                                                     {"ecc", "off"},
                                                     {"mig", "off"},
                                                     {"persistence", "on"}})
        run.fingerprint.settings[gpu + name] = value;
    result::Process process;
    process.family = "cublas";
    process.wall_seconds = 10;
    run.processes = {process};
    before_.runs = {run};
    device_.rounds = {run};
  }

  result::Run& now() { return device_.rounds.front(); }
  result::Run& then() { return before_.runs.front(); }

  void slower(const std::string& metric_class, double times,
              judge::VerdictKind kind = judge::VerdictKind::regressed) {
    judge::Verdict verdict;
    verdict.kind = kind;
    verdict.metric = "cublas/" + metric_class + ":time";
    verdict.metric_class = metric_class;
    verdict.better = result::Direction::lower;
    verdict.value = times;
    verdict.baseline = 1;
    device_.verdicts.push_back(verdict);
  }

  diagnose::Observation observation() { return observe(device_, &before_); }
  std::vector<std::string> confident() {
    std::vector<std::string> out;
    for (const diagnose::Finding& finding : diagnose::diagnose(observation()).findings)
      if (finding.score >= diagnose::confident) out.push_back(finding.cause);
    return out;
  }

  report::DeviceReport device_;
  baseline::Baseline before_;
};

TEST_F(ObserveChanges, AreNoneWhereNothingDiffers) {
  ASSERT_TRUE(observation().changed);
  EXPECT_THAT(*observation().changed, IsEmpty());
}

TEST_F(ObserveChanges, HoldTheTreatmentThatWasDeclared) {
  now().fingerprint.stack = {{"driver.version", "570.1.1"}, {"cuda.driver_version", "12.8"}};
  slower("gemm16", 1.2);
  const auto changed = *observation().changed;
  ASSERT_TRUE(changed.contains("driver.version"));
  EXPECT_EQ(changed.at("driver.version").before, diagnose::Value("550.54.14"));
  EXPECT_EQ(changed.at("driver.version").after, diagnose::Value("570.1.1"));
  const diagnose::Diagnosis diagnosis = diagnose::diagnose(observation());
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().cause, "driver_regression");
}

TEST_F(ObserveChanges, OfTheDriverLeaveNoFaultOfTheHardwareConfident) {
  now().fingerprint.stack["driver.version"] = "570.1.1";
  slower("gemm16", 1.2);
  for (result::Run* run : {&now(), &then()})
    run->telemetry = {{"gpu:GPU-0", "sm_clock_hz", "hertz", {0, 1}, {1.9e9, 1.9e9}},
                      {"gpu:GPU-0", "throttle_reasons", "1", {0, 1}, {0, 0}},
                      {"gpu:GPU-0", "power_watts", "watt", {0, 1}, {300, 300}}};
  now().telemetry.back().values = {240, 240};
  EXPECT_THAT(confident(), Not(Contains("hidden_power_state")));
}

TEST_F(ObserveChanges, OfAnotherGpuAreNoneOfThisOne) {
  now().fingerprint.settings["gpu.1.power_limit_watt"] = "200";
  now().fingerprint.settings["gpu.1.ecc"] = "on";
  slower("hbm", 1.2);
  EXPECT_THAT(*observation().changed, IsEmpty());
  EXPECT_THAT(confident(), IsEmpty());
}

TEST_F(ObserveChanges, OfAGpuAreNoneOfTheHost) {
  for (result::Run* run : {&now(), &then()}) run->device = "host";
  now().fingerprint.settings["gpu.0.power_limit_watt"] = "200";
  EXPECT_THAT(*observation().changed, IsEmpty());
}

TEST_F(ObserveChanges, OfEveryGpuAreOfTheLinks) {
  for (result::Run* run : {&now(), &then()}) run->device = "links";
  now().fingerprint.settings["gpu.1.ecc"] = "on";
  EXPECT_TRUE(observation().changed->contains("gpu.1.ecc"));
}

TEST_F(ObserveChanges, AreOfTheStateNowAndNotOfTheOneAfterAReset) {
  now().fingerprint.settings["gpu.0.mig"] = "off (on after reset)";
  now().fingerprint.settings["gpu.0.ecc"] = "off (on after reset)";
  slower("hbm", 1.2);
  EXPECT_EQ(observation().inventory.at("gpu.mig"), diagnose::Value("off"));
  EXPECT_THAT(confident(), IsEmpty());
}

TEST_F(ObserveChanges, ASwitchThatWaitsForAResetHasChangedNothingYet) {
  then().fingerprint.settings["gpu.0.ecc"] = "on";
  now().fingerprint.settings["gpu.0.ecc"] = "on (off after reset)";
  slower("hbm", 1.2);
  EXPECT_THAT(*observation().changed, IsEmpty());
  EXPECT_THAT(confident(), IsEmpty());
}

TEST_F(ObserveChanges, AStateThatIsTheSameOnBothSidesIsNoConfidentCause) {
  for (result::Run* run : {&now(), &then()}) {
    run->fingerprint.settings["gpu.0.power_limit_watt"] = "200";
    run->fingerprint.settings["gpu.0.ecc"] = "on";
    run->fingerprint.settings["host.governor"] = "powersave";
    run->fingerprint.settings["env.CUDA_LAUNCH_BLOCKING"] = "1";
    run->processes.front().host["steal_seconds"] = .55;
  }
  slower("gemm16", 1.2);
  slower("hbm", 1.2);
  slower("launch", 1.2);
  slower("host_cpu", 1.2);
  EXPECT_FALSE(observation().telemetry.contains("cpu_steal_percent"));
  EXPECT_THAT(confident(), IsEmpty());
}

TEST_F(ObserveChanges, TheSameStateSwitchedOnIsOne) {
  now().fingerprint.settings["gpu.0.ecc"] = "on";
  slower("hbm", 1.2);
  slower("gemm16", 1, judge::VerdictKind::ok);
  EXPECT_THAT(confident(), Contains("ecc_mode_differs"));
}

TEST_F(ObserveChanges, AStateSwitchedOffIsNone) {
  then().fingerprint.settings["gpu.0.ecc"] = "on";
  then().fingerprint.settings["gpu.0.mig"] = "on";
  then().fingerprint.settings["host.governor"] = "powersave";
  slower("hbm", 1.2);
  slower("launch", 1.2);
  slower("host_cpu", 1.2);
  EXPECT_THAT(confident(), IsEmpty());
}

TEST_F(ObserveChanges, ConfidentialModeAndALostLicenceAreChangesOfTheGpu) {
  then().fingerprint.settings["gpu.0.confidential_computing"] = "off";
  now().fingerprint.settings["gpu.0.confidential_computing"] = "on";
  slower("h2d", 3);
  EXPECT_THAT(confident(), Contains("confidential_computing"));
  then().fingerprint.settings.erase("gpu.0.confidential_computing");
  EXPECT_FALSE(observation().changed->contains("gpu.confidential_computing")) << "earlier runs lack it";
  then().fingerprint.settings["gpu.0.vgpu_licence"] = "licensed";
  now().fingerprint.settings["gpu.0.vgpu_licence"] = "unlicensed";
  EXPECT_TRUE(observation().changed->contains("gpu.vgpu_license"));
  slower("gemm16", 3);
  EXPECT_THAT(confident(), Contains("vgpu_unlicensed"));
}

/// Far from the limit, and as far before: one figure, not two that contradict each other.
TEST_F(ObserveChanges, AMetricBelowItsPhysicalLimitIsOneFigure) {
  slower("hbm", 1, judge::VerdictKind::ok);
  judge::Verdict physical = device_.verdicts.front();
  physical.judge = judge::Judge::physical;
  physical.kind = judge::VerdictKind::failed;
  physical.share = .5;
  device_.verdicts.push_back(physical);
  ASSERT_EQ(observation().metrics.size(), 1U);
  EXPECT_DOUBLE_EQ(observation().metrics.front().factor.value_or(0), 2);
}

/// A run file is foreign text.
TEST_F(ObserveChanges, AreWithoutFactsThatNoMachineHas) {
  now().device = "GPU-1234";
  now().fingerprint.device["gpu.0.uuid"] = "GPU-1234";
  now().fingerprint.device["host.cpus"] = "1e999";
  now().fingerprint.settings["gpu.0.power_limit_watt"] = "inf";
  for (const char* const list : {"0-4000000000", "0-3,x", "none"}) {
    now().fingerprint.settings["host.cpus_allowed"] = list;
    const diagnose::Observation seen = observation();
    EXPECT_EQ(seen.inventory.count("host.cpus_allowed"), 0U) << list;
    EXPECT_EQ(seen.inventory.count("host.cpus"), 0U);
    EXPECT_EQ(seen.telemetry.count("power_limit_w"), 0U);
  }
}

}  // namespace
}  // namespace gpugauge::conductor
