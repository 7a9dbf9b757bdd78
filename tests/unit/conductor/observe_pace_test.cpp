// From what reading the processor's clock took, then and now, to the cause of slower launches.
#include <string>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"
#include "result/clock_reading.hpp"

namespace gpugauge::conductor {
namespace {

/// A round of three processes in which a launch took so long, and reading the clock beside it.
result::Run round_of(double launch, double reading) {
  result::Run run;
  run.device = "GPU-1234";
  run.started = "2026-11-27T10:00:00Z";
  run.complete = true;
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
  for (int i = 0; i < 3; ++i) {
    result::Process process;
    process.family = "launch";
    process.wall_seconds = 2;
    process.samples.emplace();
    process.samples->benchmarks = {benchmark};
    run.processes.push_back(process);
  }
  return run;
}

/// What became slower by so much.
using Slower = std::vector<std::pair<std::string, double>>;  // class, factor

/// Of launches, behind another driver; products as before.
diagnose::Observation observed(double reading, double before_reading,
                               const Slower& slower = {{"launch", 1.25}}) {
  baseline::Baseline before;
  before.runs = {round_of(3.4e-6, before_reading)};
  before.runs.front().fingerprint.stack["driver.version"] = "570.1";
  report::DeviceReport device;
  device.rounds = {round_of(4.25e-6, reading)};
  device.rounds.front().fingerprint.stack["driver.version"] = "580.2";
  Slower all = slower;
  all.emplace_back("gemm16", 1);
  for (const auto& [metric_class, factor] : all) {
    judge::Verdict verdict;
    verdict.kind = factor > 1 ? judge::VerdictKind::regressed : judge::VerdictKind::ok;
    verdict.metric =
        metric_class == "launch" ? "launch/enqueue/runtime/0:latency" : metric_class + "/some:latency";
    verdict.metric_class = metric_class;
    verdict.better = result::Direction::lower;
    verdict.value = factor;
    verdict.baseline = 1;
    verdict.change = factor - 1;
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

TEST(ObservePace, WhatDoesNotAccountForTheLossIsNotObserved) {
  const diagnose::Observation seen = observed(29.6e-9, 29.3e-9);
  EXPECT_EQ(seen.telemetry.count("clock_reading_ns"), 0U);
  EXPECT_EQ(diagnose::diagnose(seen).findings.front().cause, "driver_regression");
  EXPECT_EQ(observed(33e-9, 29.3e-9).telemetry.count("clock_reading_ns"), 0U) << "half of it";
  EXPECT_EQ(observed(38.2e-9, 0).telemetry.count("clock_reading_ns"), 0U) << "not recorded before";
  EXPECT_EQ(observed(38.2e-9, 29.3e-9, {{"coll_large", 1.5}}).telemetry.count("clock_reading_ns"), 0U)
      << "launches are as fast as before";
}

TEST(ObservePace, TheDriverStaysWhereOtherThingsAreSlowerToo) {
  const Slower both{{"launch", 1.25}, {"p2p", 1.5}};
  EXPECT_GT(score(observed(38.2e-9, 29.3e-9, both), "driver_regression"),
            score(observed(38.2e-9, 29.3e-9), "driver_regression"));
}

/// Launches a quarter slower, with these readings in an observation of somebody's own.
diagnose::Observation written(const std::string& now, const std::string& then, const std::string& more = "") {
  return diagnose::parse_observation(
      R"({"about": {"compared_with": "earlier"}, "metrics": [{"class": "launch", "factor": 1.25}],
          "telemetry": {"clock_reading_ns": )" +
          now + R"(, "clock_reading_expected_ns": )" + then + more + "}}",
      "test");
}

TEST(ObservePace, ReadingsThatTellNothingAreNoEvidence) {
  EXPECT_GT(score(written("38", "29"), "cpu_contention"), 0);
  EXPECT_GT(score(written("38", "29"), "cpu_governor"), 0);
  for (const auto& [now, then] : {std::pair{"30", "29"}, std::pair{"1100", "29"}, std::pair{"5", "0"},
                                  std::pair{"0", "0"}, std::pair{"29", "38"}}) {
    EXPECT_EQ(score(written(now, then), "cpu_contention"), 0) << now << " " << then;
    EXPECT_EQ(score(written(now, then), "cpu_governor"), 0) << now << " " << then;
  }
  // A clock that was read speaks for itself.
  EXPECT_GT(score(written("29", "29", R"(, "cpu_clock_mhz": 1200, "cpu_clock_expected_mhz": 3500)"),
                  "cpu_governor"),
            .5);
}

}  // namespace
}  // namespace gpugauge::conductor
