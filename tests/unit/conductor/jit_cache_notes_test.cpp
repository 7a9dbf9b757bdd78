// From what the driver left in its cache to the cause of a slow start.
#include "conductor/jit_cache_notes.hpp"

#include <string>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {
namespace {

/// Starts that compile and starts that find it compiled; the latter became slower.
class JitCache : public testing::Test {
 protected:
  JitCache() {
    before_.runs = {run(.4, .05, "3")};
    now(.4, .38, "0");
  }

  static result::Run run(double cold, double warm, const std::string& files) {
    result::Run made;
    made.device = "GPU-0";
    made.started = "2026-11-28T10:00:00Z";
    made.complete = true;
    made.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
    result::Process process;
    process.family = "first_launch";
    process.samples.emplace().family = "first_launch";
    for (const auto& [mode, seconds] : {std::pair{"jit_cold", cold}, std::pair{"jit_warm", warm}}) {
      result::BenchmarkResult& benchmark = process.samples->benchmarks.emplace_back();
      benchmark.id = std::string("first_launch/kernel/") + mode;
      benchmark.verifications = {{"compared", true, 0., 1.}};
      result::Metric& metric = benchmark.metrics.emplace_back();
      metric.name = "first_launch";
      metric.unit = "second";
      metric.metric_class = "first_launch";
      metric.statistic = "median";
      metric.value = seconds;
      if (std::string(mode) == "jit_warm") benchmark.notes["cache_files"] = files;
    }
    made.processes = {process};
    return made;
  }
  void now(double cold, double warm, const std::string& files) {
    device_ = {};
    device_.rounds = {run(cold, warm, files)};
    const auto verdict = [&](const std::string& mode, double value, double baseline) {
      judge::Verdict& made = device_.verdicts.emplace_back();
      made.kind = value > 1.5 * baseline ? judge::VerdictKind::regressed : judge::VerdictKind::ok;
      made.metric = "first_launch/kernel/" + mode + ":first_launch";
      made.metric_class = "first_launch";
      made.better = result::Direction::lower;
      made.value = value;
      made.baseline = baseline;
    };
    verdict("jit_cold", cold, .4);
    verdict("jit_warm", warm, .05);
  }

  diagnose::Observation observation() { return observe(device_, &before_); }

  report::DeviceReport device_;
  baseline::Baseline before_;
};

TEST_F(JitCache, AStartThatCompilesAgainBecauseNothingWasKeptIsTheCachesFault) {
  const diagnose::Observation seen = observation();
  ASSERT_EQ(seen.probes.size(), 1U);
  EXPECT_EQ(seen.probes[0].name, "repeat_in_fresh_process");
  EXPECT_EQ(seen.probes[0].outcome, "slow");
  EXPECT_EQ(seen.probes[0].detail, "jit_warm_over_jit_cold=0.95");
  EXPECT_EQ(seen.inventory.at("cuda.jit_cache"), diagnose::Value("empty"));
  EXPECT_EQ(seen.changed->at("cuda.jit_cache").before, diagnose::Value("filled"));
  const auto findings = diagnose::diagnose(seen).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().cause, "jit_cache_disabled");
  EXPECT_GE(findings.front().score, .7);
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
}

TEST_F(JitCache, WhatWasKeptIsNoEmptyCache) {
  now(.4, .38, "2");  // it lies there, and the start is slow all the same
  EXPECT_TRUE(observation().probes.empty());
  now(.4, .2, "0");  // half as slow: something else was warm
  EXPECT_TRUE(observation().probes.empty());
  now(.4, .38, "");
  EXPECT_TRUE(observation().probes.empty()) << "nobody counted";
  EXPECT_FALSE(observation().inventory.contains("cuda.jit_cache"));
}

TEST_F(JitCache, WhereNoStartIsSlowerItIsNoNews) {
  for (judge::Verdict& verdict : device_.verdicts) verdict.kind = judge::VerdictKind::ok;
  EXPECT_TRUE(observation().probes.empty());
  EXPECT_EQ(diagnose::diagnose(observation()).state, diagnose::State::healthy);
}

}  // namespace
}  // namespace gpugauge::conductor
