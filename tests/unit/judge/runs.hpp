// Runs made by hand for the judges' tests: one family "host" with three benchmarks, one metric each.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "baseline/baseline.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

inline const std::string triad = "host/triad:bandwidth";
inline const std::string latency = "host/latency:latency";
inline const std::string wake = "host/wake:latency";

/// How slow each metric is: 2 = twice the time, or half the bandwidth.
struct Slowness {
  double triad = 1, latency = 1, wake = 1;
};

inline result::BenchmarkResult benchmark(const std::string& id, const result::Metric& metric) {
  result::BenchmarkResult out;
  out.id = id;
  out.metrics = {metric};
  out.batches = {1, {1e-3}, {}, {}, 1e-3, 1e-3};
  out.verifications = {{"made for the test", true, {}, {}}};
  return out;
}

inline result::Metric metric(const std::string& name, const std::string& unit, result::Direction better,
                             const std::string& metric_class, double value) {
  result::Metric out;
  out.name = name;
  out.unit = unit;
  out.better = better;
  out.metric_class = metric_class;
  out.statistic = "median";
  out.value = value;
  return out;
}

/// A whole run; `seed` decides its noise of half a percent.
inline result::Run make_run(std::uint64_t seed, const Slowness& slow = {}, int processes = 5) {
  using result::Direction;
  std::mt19937_64 engine(seed * 7919 + 1);
  std::normal_distribution<double> normal;
  const auto noise = [&] { return std::exp(.005 * normal(engine)); };
  result::Run run;
  run.id = fmt::format("01TESTRUN{:017}", seed);
  run.complete = true;
  run.started = fmt::format("2026-01-{:02}T00:00:00Z", 1 + seed % 28);
  run.boot_id = fmt::format("boot-{}", seed);
  run.profile = "quick";
  run.device = "host";
  run.fingerprint.device = {{"host.cpu_model", "X"}};
  run.fingerprint.suite = {{"suite.profile", "quick"}, {"suite.source_hash.host", "ab"}};
  for (int index = 0; index < processes; ++index) {
    result::Process process;
    process.family = "host";
    process.index = index;
    process.exit_code = 0;
    process.samples.emplace();
    process.samples->family = "host";
    process.samples->source_hash = "ab";
    process.samples->benchmarks = {
        benchmark("host/latency", metric("latency", "second", Direction::lower, "host_memory",
                                         8e-8 * noise() * slow.latency)),
        benchmark("host/triad", metric("bandwidth", "byte/second", Direction::higher, "host_memory",
                                       2e10 * noise() / slow.triad)),
        benchmark("host/wake",
                  metric("latency", "second", Direction::lower, "host_cpu", 5e-6 * noise() * slow.wake))};
    run.processes.push_back(std::move(process));
  }
  return run;
}

/// The run tells of its GPU's health only this: the newest value of one series.
inline void tell_health(result::Run& run, const std::string& series, double value) {
  run.telemetry = {{"gpu:" + run.device, "power_watts", "watt", {1}, {300}},
                   {"gpu:" + run.device, series, "1", {1}, {value}}};
}

inline baseline::Baseline make_baseline(int rounds) {
  baseline::Baseline out;
  out.manifest.name = "test";
  out.manifest.device = "host";
  for (int k = 0; k < rounds; ++k) {
    out.runs.push_back(make_run(100 + static_cast<std::uint64_t>(k)));
    out.runs.back().started = fmt::format("2025-12-{:02}T00:00:00Z", 1 + k % 28);  // before what is judged
  }
  return out;
}

/// Applies a change to one benchmark in every process.
inline void change(result::Run& run, const std::string& id,
                   const std::function<void(result::BenchmarkResult&)>& apply) {
  for (result::Process& process : run.processes) {
    for (result::BenchmarkResult& found : process.samples->benchmarks) {
      if (found.id == id) apply(found);
    }
  }
}

/// As a run that does not measure it.
inline void drop_benchmark(result::Run& run, const std::string& id) {
  for (result::Process& process : run.processes)
    std::erase_if(process.samples->benchmarks, [&](const auto& found) { return found.id == id; });
}

}  // namespace gpugauge::judge
