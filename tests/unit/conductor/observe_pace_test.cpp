// From what reading the processor's clock took, then and now, to the cause of slower launches.
#include <string>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"
#include "result/clock_reading.hpp"

namespace gpugauge::conductor {
namespace {

using testing::HasSubstr;

/// A round in which a launch took so long, and reading the clock beside it.
result::Run round_of(double launch, double reading) {
  result::Run run;
  run.device = "GPU-1234";
  run.started = "2026-11-27T10:00:00Z";
  run.complete = true;
  result::Process process;
  process.family = "launch";
  process.wall_seconds = 2;
  process.samples.emplace();
  result::BenchmarkResult benchmark;
  benchmark.id = "launch/enqueue/runtime/0";
  benchmark.verifications = {{"made for the test", true, {}, {}}};
  for (const auto& [name, value] : {std::pair<std::string, double>{"latency", launch},
                                    std::pair<std::string, double>{result::clock_reading, reading}}) {
    result::Metric metric;
    metric.name = name;
    metric.unit = "second";
    metric.better = result::Direction::lower;
    metric.metric_class = "launch";
    metric.value = value;
    metric.judged = name == "latency";
    benchmark.metrics.push_back(metric);
  }
  process.samples->benchmarks = {benchmark};
  run.processes = {process};
  return run;
}

/// Launches a quarter slower than before, behind another driver; products as before.
diagnose::Observation observed(double reading, double before_reading) {
  baseline::Baseline before;
  before.runs = {round_of(3.4e-6, before_reading)};
  before.runs.front().fingerprint.stack["driver.version"] = "570.1";
  report::DeviceReport device;
  device.rounds = {round_of(4.25e-6, reading)};
  device.rounds.front().fingerprint.stack["driver.version"] = "580.2";
  for (const auto& [metric, metric_class, value] :
       {std::tuple{"launch/enqueue/runtime/0:latency", "launch", 1.25},
        std::tuple{"cublas/bf16/lt/4096x4096x4096:throughput", "gemm16", 1.0}}) {
    judge::Verdict verdict;
    verdict.kind = value > 1 ? judge::VerdictKind::regressed : judge::VerdictKind::ok;
    verdict.metric = metric;
    verdict.metric_class = metric_class;
    verdict.better = result::Direction::lower;
    verdict.value = value;
    verdict.baseline = 1;
    device.verdicts.push_back(verdict);
  }
  return observe(device, &before);
}

/// Score of a cause; 0 where it is no finding.
double score(const diagnose::Observation& seen, const std::string& cause) {
  for (const diagnose::Finding& finding : diagnose::diagnose(seen).findings)
    if (finding.cause == cause) return finding.score;
  return 0;
}

TEST(ObservePace, ASlowerProcessorIsNoFaultOfTheDriverThatChanged) {
  const diagnose::Observation seen = observed(38.2e-9, 29.3e-9);
  EXPECT_NEAR(*seen.telemetry.at("clock_reading_ns").number(), 38.2, 1e-9);
  EXPECT_NEAR(*seen.telemetry.at("clock_reading_expected_ns").number(), 29.3, 1e-9);
  const diagnose::Finding best = diagnose::diagnose(seen).findings.front();
  EXPECT_EQ(best.cause, "cpu_contention");
  EXPECT_GT(score(seen, "cpu_governor"), score(seen, "driver_regression"));
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
}

TEST(ObservePace, AProcessorAsFastAsBeforeLeavesTheDriver) {
  const diagnose::Observation seen = observed(29.6e-9, 29.3e-9);
  EXPECT_EQ(diagnose::diagnose(seen).findings.front().cause, "driver_regression");
  EXPECT_EQ(score(seen, "cpu_contention"), 0);
  EXPECT_EQ(score(seen, "cpu_governor"), 0);
}

TEST(ObservePace, WhatOneSideDidNotRecordIsNotObserved) {
  EXPECT_EQ(observed(38.2e-9, 0).telemetry.count("clock_reading_ns"), 0U);
  EXPECT_EQ(observed(1.1e-6, 29.3e-9).telemetry.count("clock_reading_ns"), 0U) << "another clock source";
}

}  // namespace
}  // namespace gpugauge::conductor
