// Regroups a run: from benchmarks per process to values per benchmark over all processes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::judge {

/// One metric in all processes of a run that measured it.
struct MetricValues {
  std::string benchmark;  ///< id: family/op/variant/params
  /// from the first process that has it: unit, direction, class, limit; its value is unused
  result::Metric form;
  std::vector<double> values;  ///< judged values only, one per process, in the order of the run
  /// Values that are recorded only, because the process took too few batches; all above 0. A slow operation
  /// has fewer batches. These values take part where a baseline knows the metric.
  std::vector<double> recorded;
  int reported = 0;                 ///< processes that report it at all
  std::vector<double> sm_clock_hz;  ///< median SM clock in Hz, one per judged value; empty without a GPU
  double flops = 0;  ///< declared arithmetic per operation, floating-point or integer, from the first process
  double bytes = 0;  ///< declared bytes per operation, from the first process
  /// Link directions that its bytes use at once, from the benchmark's note: 2, or 1 without a note.
  int link_directions = 1;
  bool saturating = false;  ///< the benchmark notes that a healthy device comes near the limit
  std::string instruction;  ///< the only instruction that its benchmark measures (result/instructions.hpp)
  std::string not_judged;   ///< why some process's value does not count; "" when all do

  bool judged() const { return !values.empty(); }  ///< Whether any value counts.
};

/// One benchmark in all processes of a run.
struct BenchmarkState {
  std::string family;  ///< family of the processes that list it
  int processes = 0;   ///< processes that list it
  /// Processes of its family that were asked for it, as far as this run shows: up to the last one that lists
  /// it. A benchmark is measured in the first N processes of its family.
  int asked = 0;
  int ok = 0;                                 ///< of these, the ones in which it was sound()
  int occupied = 0;                           ///< of these, the ones without room for it (result::occupied)
  result::Status worst = result::Status::ok;  ///< failed before interrupted, unavailable, skipped, ok
  std::string reason;                         ///< from the first process with that status
  bool worst_occupied = false;                ///< that process was only without room for it
};

/// One process of a family.
struct FamilyProcess {
  int index = 0;          ///< result::Process::index
  bool occupied = false;  ///< it could not start because something else held the GPU
};

/// What the processes of one run report, by metric and benchmark.
struct Collected {
  std::map<std::string, MetricValues> metrics;                  ///< by result::metric_key
  std::map<std::string, BenchmarkState> benchmarks;             ///< by id
  std::map<std::string, std::vector<FamilyProcess>> processes;  ///< by family
};

/// What the processes of a benchmark's family recorded about their device (result::Samples::context).
class DeviceFacts {
 public:
  /// Uses the first process of the benchmark's family that left samples. Points into `run`, which must live
  /// longer.
  DeviceFacts(const result::Run& run, const std::string& benchmark);
  std::string text(const std::string& fact) const;  ///< "" when absent
  double number(const std::string& fact) const;     ///< 0 when absent or not a number above 0

 private:
  const result::Facts* facts_ = nullptr;
};

/// Collects a run. Only benchmarks that ended ok with all checks passed contribute values.
Collected collect(const result::Run& run);

/// Every value of a metric, including those recorded only. These are compared where a baseline knows the
/// metric.
std::vector<double> measured(const MetricValues& metric);

/// True if the benchmark's status is ok and none of its checks failed.
bool sound(const result::BenchmarkResult& benchmark);

/// Severity of a status, ascending from 0: ok, occupied, skipped, unavailable, interrupted, failed.
int gravity(result::Status status, bool occupied);

/// The status of a whole process. The sample file's status counts where the process itself ended well.
result::Status status_of(const result::Process& process);
const std::string& reason_of(const result::Process& process);  ///< The reason that belongs to status_of().
/// True if the process could not begin because something else held its GPU.
bool occupied(const result::Process& process);

/// The first fault of an unsound benchmark, one sentence.
std::string fault(const result::BenchmarkResult& benchmark);

}  // namespace gpugauge::judge
