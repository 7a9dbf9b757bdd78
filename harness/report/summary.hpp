// What is reported of one device: plain data between those who know and those who format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/diagnose.hpp"
#include "judge/judge.hpp"
#include "result/run_file.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::report {

/// One metric of a run: what its processes say together.
struct Measured {
  std::string key;  ///< result::metric_key
  std::string benchmark;
  std::string statistic;
  std::string metric_class;
  std::string unit;
  result::Direction better = result::Direction::higher;
  double value = 0;              ///< median over the processes
  std::optional<double> spread;  ///< (largest - smallest) / median over the processes; absent for one process
  int processes = 0;
  int batches = 0;  ///< per process, median
  bool judged = true;
  std::string note;
  std::optional<double> share_of_limit;  ///< 1 = at the limit, whichever way the metric is better
};

/// The metrics of a run in the order of their keys.
std::vector<Measured> summarise(const result::Run& run);

/// What was measured and not measured: one line per family that is not whole, with the reason.
struct FamilyState {
  std::string family;
  int processes = 0;
  int ok = 0;
  int benchmarks = 0;                ///< measured in at least one process
  std::string reason;                ///< of the first process that is not ok, "" if all are
  std::vector<std::string> skipped;  ///< "id: reason" of benchmarks that were skipped or failed
};
std::vector<FamilyState> family_states(const result::Run& run);

/// What disturbed a run, in one sentence, from the differences that each process recorded: other work on the
/// processors, waiting for one, throttling by the control group, time stolen by a hypervisor. "" when nothing
/// did.
std::string disturbance(const result::Run& run);

/// One night of a metric, from whoever keeps a history.
struct TrendPoint {
  std::string started;  ///< UTC, RFC 3339
  double value = 0;     ///< in the metric's unit
  std::string changed;  ///< what changed there, one sentence: "driver.version 570.86 -> 580.65"; mostly ""
};

/// Earlier values of a metric, oldest first.
struct Trend {
  std::string metric;  ///< result::metric_key
  std::vector<TrendPoint> points;
};

/// One device, measured and judged.
struct DeviceReport {
  std::string label;      ///< "GPU 0 NVIDIA H200 (GPU-...)" or "host, no GPU judged"
  std::string selection;  ///< "host" or the GPU's UUID
  std::vector<result::Run> rounds;
  std::vector<std::filesystem::path> files;  ///< where the rounds were stored
  std::vector<result::Run> reference;        ///< what they were compared with; empty if with nothing
  std::vector<Trend> trends;                 ///< empty where no history is kept
  std::string baseline_origin;               ///< the sentence of baseline::select
  std::vector<std::string> remarks;          ///< what the reader should know
  std::vector<judge::Verdict> verdicts;
  judge::Outcome outcome;
  std::optional<diagnose::Observation> observation;  ///< what was seen, for a diagnosis
  std::optional<diagnose::Diagnosis> diagnosis;
  double seconds = 0;        ///< wall time, measuring and waiting
  bool interrupted = false;  ///< before everything that was wanted had been measured
};

/// The whole of a check or compare.
struct Report {
  std::string command = "check";  ///< or "compare"
  std::vector<stack::Layer> stack;
  std::string gpu_explanation;       ///< why no GPU can be judged, "" if one was or none was asked for
  std::vector<judge::Verdict> node;  ///< what the policy expects of the node as a whole
  std::vector<DeviceReport> devices;
  judge::Outcome outcome;
};

}  // namespace gpugauge::report
