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

/// One metric of a run, or of the rounds of a check: what its processes say together.
struct Measured {
  std::string key;           ///< result::metric_key
  std::string benchmark;     ///< id: family/op/variant/params
  std::string statistic;     ///< result::Metric::statistic: how each value was formed
  std::string metric_class;  ///< one of result::classes
  std::string unit;          ///< one of result::units
  result::Direction better = result::Direction::higher;  ///< which way value is better
  double value = 0;                      ///< in unit: the median over the processes, or what summarise() says
  std::optional<double> range;           ///< (largest - smallest process) / value; absent for one process
  int processes = 0;                     ///< that ended ok and report it, in all rounds
  int batches = 0;                       ///< per process, median
  bool judged = true;                    ///< false: recorded only
  std::string note;                      ///< why it is recorded only, or ""
  std::optional<double> share_of_limit;  ///< 1 = at the limit, whichever way the metric is better
};

/// The metrics of a run in the order of their keys.
std::vector<Measured> summarise(const result::Run& run);

struct DeviceReport;
/// The metrics that any round of a device holds, in the order of their keys. The value is that of the verdict
/// against the baseline, so that value, baseline and change are of the same rounds; where there is none, the
/// median over the rounds' medians. Range and share of the limit are relative to that value.
std::vector<Measured> summarise(const DeviceReport& device);

/// What was measured of a family and what was not.
struct FamilyState {
  std::string family;                ///< name, without gpugauge-bench-
  int processes = 0;                 ///< that were to measure it in this run
  int ok = 0;                        ///< of these, that ended ok
  int benchmarks = 0;                ///< measured in at least one process
  std::string reason;                ///< of the first process that is not ok, "" if all are
  std::vector<std::string> skipped;  ///< "id: reason" of benchmarks that were skipped or failed
};
std::vector<FamilyState> family_states(const result::Run& run);  ///< Every family of the run, by name.

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
  std::string metric;              ///< result::metric_key
  std::vector<TrendPoint> points;  ///< oldest first
};

/// A question that a check asked by measuring, and what came of it.
struct ProbeAsked {
  std::string probe;                 ///< id of diagnose::probe_table
  std::string question;              ///< in words, with a question mark
  std::vector<std::string> between;  ///< the leading causes that it was to separate
  std::string outcome;               ///< of diagnose::probe_outcomes; "" = no answer
  std::string found;                 ///< what was found; without an answer: why not
  double seconds = 0;                ///< what it took
};

/// "Probe all_processors: is it as slow when ...? it recovers: host/op:latency is 1.01 times as slow ... (6
/// s)", or "... asked, no answer because ...".
std::string sentence(const ProbeAsked& asked);

/// One device, measured and judged.
struct DeviceReport {
  std::string label;                ///< for people: "GPU 0 NVIDIA H200 (GPU-...)", "Links between 8 GPUs"
  std::string selection;            ///< "host", the GPU's UUID, or "links"
  std::vector<result::Run> rounds;  ///< in the order in which they were measured
  std::vector<std::filesystem::path> files;          ///< where the rounds were stored
  std::vector<std::string> not_kept;                 ///< why others were not, a sentence each
  std::string broke_off;                             ///< why nothing further could be measured, or ""
  std::vector<result::Run> reference;                ///< what they were compared with; empty if with nothing
  std::vector<Trend> trends;                         ///< empty where no history is kept
  std::string baseline_origin;                       ///< the sentence of baseline::select
  std::vector<std::string> remarks;                  ///< what the reader should know
  std::vector<judge::Verdict> verdicts;              ///< of every judge that spoke
  judge::Outcome outcome;                            ///< the answer for this device
  std::optional<diagnose::Observation> observation;  ///< what was seen, for a diagnosis
  std::optional<diagnose::Diagnosis> diagnosis;      ///< nullopt where there is no observation
  std::vector<ProbeAsked> probes;  ///< in the order in which they were made; they never change a verdict
  double seconds = 0;              ///< wall time, measuring and waiting
  double further_seconds = 0;      ///< of it, after the first round: what the budget of a check is spent on
  bool interrupted = false;        ///< before everything that was wanted had been measured
  bool told_to_stop = false;       ///< a signal came while it was measured or waited for: no device follows
  bool stopped_when_decided =
      false;  ///< a signal came when the verdict stood, before all causes were looked for
};

/// The whole of a check or compare.
struct Report {
  std::string command = "check";      ///< or "compare"
  std::vector<stack::Layer> stack;    ///< layers and versions; empty where the stack was not looked at
  std::string gpu_explanation;        ///< why no GPU can be judged, "" if one was or none was asked for
  std::vector<judge::Verdict> node;   ///< what the policy expects of the node as a whole
  std::vector<DeviceReport> devices;  ///< in the order in which they were asked for
  judge::Outcome outcome;             ///< the gravest of all, which the command exits with
};

}  // namespace gpugauge::report
