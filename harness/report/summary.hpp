// The report on one device: plain data between the code that judges and the code that formats.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/diagnose.hpp"
#include "judge/judge.hpp"
#include "judge/monitor.hpp"
#include "result/run_file.hpp"
#include "stack/gpu_report.hpp"
#include "stack/rules/finding.hpp"

namespace gpugauge::report {

/// One metric of a run, or of the rounds of a check, summarised over its processes.
struct Measured {
  std::string key;           ///< result::metric_key
  std::string benchmark;     ///< id: family/op/variant/params
  std::string statistic;     ///< result::Metric::statistic: how each value was formed
  std::string metric_class;  ///< one of result::classes
  std::string unit;          ///< one of result::units
  result::Direction better = result::Direction::higher;  ///< which direction of value is better
  double value = 0;             ///< in unit: the median over the processes; see also summarise()
  std::optional<double> range;  ///< (largest - smallest process) / value; absent for one process
  int processes = 0;            ///< processes of all rounds that ended ok and report it
  int batches = 0;              ///< per process, median
  /// The best of all timed batches, in unit; absent where batch_values() has none.
  std::optional<double> best_batch;
  /// Interquartile range of the batches of a process, relative to their median: the median over the processes.
  /// Absent with fewer than four batches.
  std::optional<double> batch_spread;
  bool judged = true;                    ///< false: recorded only
  std::string note;                      ///< why it is recorded only; "" if judged
  std::optional<double> share_of_limit;  ///< 1 = at the limit, whichever direction is better
};

/// The timed batches of one process in the metric's unit, in their order. Empty if the metric is no simple
/// function of a batch's time (a percentile, a fit).
std::vector<double> batch_values(const result::BenchmarkResult& benchmark, const result::Metric& metric);

/// The metrics of a run, sorted by key.
std::vector<Measured> summarise(const result::Run& run);

struct DeviceReport;
/// The metrics of all rounds of a device, sorted by key. The value is the one in the verdict against the
/// baseline, so that value, baseline and change come from the same rounds. Without such a verdict it is the
/// median over the rounds' medians. Range and share of the limit are relative to that value.
std::vector<Measured> summarise(const DeviceReport& device);

/// Which parts of a family were measured.
struct FamilyState {
  std::string family;                ///< name, without gpugauge-bench-
  int processes = 0;                 ///< processes that had to measure it in this run
  int ok = 0;                        ///< how many of these ended ok
  int benchmarks = 0;                ///< benchmarks measured in at least one process
  std::string reason;                ///< of the first process that is not ok; "" if all are
  std::vector<std::string> skipped;  ///< "id: reason" for each benchmark that was skipped or failed
};
std::vector<FamilyState> family_states(const result::Run& run);  ///< Every family of the run, by name.

/// One sentence on what disturbed a run, from the differences that each process recorded. Covers other work
/// on the processors, waiting for one, throttling by the control group, and time stolen by a hypervisor. ""
/// if nothing did.
std::string disturbance(const result::Run& run);

/// One night's value of a metric, from a history.
struct TrendPoint {
  std::string started;  ///< UTC, RFC 3339
  double value = 0;     ///< in the metric's unit
  std::string changed;  ///< what changed there, one sentence: "driver.version 570.86 -> 580.65"; usually ""
};

/// Earlier values of a metric, oldest first.
struct Trend {
  std::string metric;              ///< result::metric_key
  std::vector<TrendPoint> points;  ///< oldest first
};

/// A question that a check answered by measuring, and its result.
struct ProbeAsked {
  std::string probe;                 ///< id of diagnose::probe_table
  std::string question;              ///< in words, with a question mark
  std::vector<std::string> between;  ///< the leading causes that it should separate
  std::string outcome;               ///< one of diagnose::probe_outcomes; "" = no answer
  std::string found;                 ///< what was found; without an answer, why there is none
  double seconds = 0;                ///< time it took
};

/// "Probe all_processors: is it as slow when ...? it recovers: host/op:latency is 1.01 times as slow ... (6
/// s)", or "... asked, no answer because ...".
std::string sentence(const ProbeAsked& asked);

/// What the old stack, measured again after the new one, told of the change between them (A/B/A).
struct GoingBack {
  std::string outcome;   ///< "recovers" or "no_change", of diagnose::probe_outcomes; "" = it cannot be told
  std::string sentence;  ///< what that rests on
  diagnose::Observation observation;  ///< of the new stack, the outcome among its probes
  diagnose::Diagnosis diagnosis;      ///< of that observation; without findings where there is no outcome
};

/// One device, measured and judged.
struct DeviceReport {
  std::string label;                ///< for people: "GPU 0 NVIDIA H200 (GPU-...)", "Links between 8 GPUs"
  std::string selection;            ///< "host", the GPU's UUID, or "links"
  std::vector<result::Run> rounds;  ///< in the order in which they were measured
  std::vector<std::filesystem::path> files;  ///< files of the stored rounds
  std::vector<std::string> not_kept;         ///< why other rounds were not stored, one sentence each
  /// Why nothing further could be measured; "" if it could.
  std::string broke_off;
  /// Runs that they were compared with; empty if there were none.
  std::vector<result::Run> reference;
  std::vector<Trend> trends;                         ///< empty where no history is kept
  std::string baseline_origin;                       ///< the sentence of baseline::select
  std::vector<std::string> remarks;                  ///< what the reader should know
  std::vector<judge::Verdict> verdicts;              ///< of every judge that gave one
  std::vector<judge::Decline> declines;              ///< what the monitor alarms of; they decide nothing
  judge::Outcome outcome;                            ///< the answer for this device
  std::optional<diagnose::Observation> observation;  ///< what was seen, for a diagnosis
  std::optional<diagnose::Diagnosis> diagnosis;      ///< nullopt where there is no observation
  std::optional<GoingBack> going_back;  ///< of an upgrade: nullopt where no new stack was taken back
  std::vector<ProbeAsked> probes;       ///< in execution order; they never change a verdict
  double seconds = 0;                   ///< wall time, measuring and waiting
  /// Part of `seconds` after the first round, on which the budget of a check is spent.
  double further_seconds = 0;
  bool interrupted = false;  ///< ended before all requested measurements were done
  /// A signal came during measuring or waiting: no further device is measured.
  bool told_to_stop = false;
  bool stopped_when_decided =
      false;  ///< a signal came when the verdict stood, before all causes were looked for
};

/// A whole check or compare.
struct Report {
  std::string command = "check";      ///< or "compare", "upgrade"
  std::vector<stack::Layer> stack;    ///< layers and versions; empty if the stack was not inspected
  std::string gpu_explanation;        ///< why no GPU can be judged; "" if one was or none was asked for
  std::vector<judge::Verdict> node;   ///< the policy's expectations of the whole node
  std::vector<DeviceReport> devices;  ///< in the order in which the user gave them
  judge::Outcome outcome;             ///< the gravest of all; gives the exit code
  std::string host = {};              ///< name of the node that was measured; "" where it is not known
  /// Where gpu_explanation says something: the doctor's root cause, or, where its rules know none, the doctor's
  /// other failures of the node. Else empty.
  std::vector<stack::Finding> findings = {};
};

}  // namespace gpugauge::report
