// A check of the host, and what its diagnosis finds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {

/// What the diagnosis finds, likeliest first.
inline std::vector<std::string> causes_of(const diagnose::Observation& observation) {
  std::vector<std::string> out;
  for (const diagnose::Finding& finding : diagnose::diagnose(observation).findings)
    out.push_back(finding.cause);
  return out;
}

/// A check of the host of eight processors, ten seconds of measuring, compared with a quiet time before.
class Observe : public testing::Test {
 protected:
  Observe() {
    result::Run run;
    run.device = "host";
    run.started = "2026-11-21T10:00:00Z";
    run.complete = true;
    run.fingerprint.device = {{"host.cpus", "8"}};
    run.fingerprint.settings = {{"host.cpus_allowed", "0-7"},
                                {"host.governor", "performance"},
                                {"host.cgroup_cpu_limit", "none"},
                                {"host.container", "none"}};
    result::Process process;
    process.family = "host";
    process.wall_seconds = 10;
    process.host = {{"other_cpu_seconds", .5},
                    {"pressure_cpu_seconds", .2},
                    {"steal_seconds", 0},
                    {"cgroup_throttled_periods", 0}};
    run.processes = {process};
    before_.runs = {run};
    device_.rounds = {run};
  }

  result::Run& now() { return device_.rounds.front(); }
  std::map<std::string, double>& counters() { return now().processes.front().host; }

  void verdict(const std::string& metric_class, judge::VerdictKind kind, double value = 1,
               double baseline = 1, result::Direction better = result::Direction::lower) {
    judge::Verdict verdict;
    verdict.kind = kind;
    verdict.metric = "host/" + metric_class + ":time";
    verdict.metric_class = metric_class;
    verdict.better = better;
    verdict.value = value;
    verdict.baseline = baseline;
    device_.verdicts.push_back(verdict);
  }
  void slow_host() {
    verdict("host_cpu", judge::VerdictKind::regressed, 2, 1);
    verdict("host_memory", judge::VerdictKind::regressed, 5e9, 1e10, result::Direction::higher);
  }

  diagnose::Observation observation() { return observe(device_, &before_); }
  std::vector<std::string> causes() { return causes_of(observation()); }
  std::string best() {
    const auto all = causes();
    return all.empty() ? "" : all.front();
  }

  report::DeviceReport device_;
  baseline::Baseline before_;
};

}  // namespace gpugauge::conductor
