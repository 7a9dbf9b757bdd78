// A run with every part filled in, for the tests of readers and writers.
#pragma once

#include "result/run_file.hpp"

namespace gpugauge::result {

inline Samples example_samples() {
  Samples samples;
  samples.family = "host";
  samples.suite_version = "0.1.0";
  samples.source_hash = "ab12";
  samples.seed = 18446744073709551615U;
  samples.context = {{"host.cpu_model", "A \"quoted\" processor"}};
  BenchmarkResult result;
  result.id = "host/triad/one_core";
  result.parameters = {{"cores", "one_core"}};
  result.notes = {{"timer", "steady_clock"}};
  result.work = {24e6, 2e6, 0};
  result.metrics = {{"bandwidth", "byte/second", Direction::higher, "host_memory", "median", 1.25e10, 1e3,
                     true, "", Limit{2e10, "data sheet", true}},
                    {"bandwidth_mean", "byte/second", Direction::higher, "host_memory", "mean", 1.2e10, 0,
                     false, "window too short", std::nullopt}};
  result.verifications = {{"every element", true, 0.0, 1e-12},
                          {"checksum", true, std::nullopt, std::nullopt}};
  result.batches = {3, {0.001, 0.0011}, {0.001, 0.001}, {}, 0.0065, 0.006};
  result.timeline = Timeline{0.25, 0.5, 1.0625, 1.25};
  BenchmarkResult skipped;
  skipped.id = "host/triad/all_cores";
  skipped.status = Status::skipped;
  skipped.reason = "one processor only";
  samples.benchmarks = {result, skipped};
  return samples;
}

inline Run example_run() {
  Run run;
  run.id = "01JCXAMPLE0000000000000000";
  run.complete = true;
  run.started = "2026-01-02T03:04:05Z";
  run.wall_seconds = 12.5;
  run.seed = 7;
  run.profile = "quick";
  run.device = "host";
  run.command = {"gpugauge", "run", "--device", "host"};
  run.boot_id = "b";
  run.fingerprint.device = {{"host.cpu_model", "X"}};
  run.fingerprint.suite = {{"suite.version", "0.1.0"}};
  Process process;
  process.family = "host";
  process.exit_code = 0;
  process.wall_seconds = 6;
  process.expected_seconds = 5.25;
  process.host = {{"cpu_seconds", 5.5}};
  process.output = "done\n";
  process.samples = example_samples();
  Process crashed;
  crashed.family = "gemm";
  crashed.index = 1;
  crashed.order = 1;
  crashed.status = Status::failed;
  crashed.reason = "ended by SIGSEGV";
  crashed.signal = 11;
  run.processes = {process, crashed};
  run.telemetry = {{"host", "load1", "1", {0, 0.5}, {0.25, 0.5}}};
  run.remarks = {"no NVML"};
  return run;
}

}  // namespace gpugauge::result
