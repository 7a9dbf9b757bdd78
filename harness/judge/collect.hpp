// A run turned round: from processes that hold benchmarks to benchmarks that hold the values of all
// processes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::judge {

/// One metric in all processes of a run that measured it.
struct MetricValues {
  std::string benchmark;  ///< id: family/op/variant/params
  result::Metric
      form;  ///< of the first process that has it: unit, direction, class, limit; its value is unused
  std::vector<double> values;  ///< judged values only, one a process, in the order of the run
  /// Of processes that measured it and judge it by too little (too few batches), all above 0. A slow
  /// operation has fewer batches: where a baseline knows the metric these values take part.
  std::vector<double> recorded;
  int reported = 0;                 ///< processes that report it at all
  std::vector<double> sm_clock_hz;  ///< median SM clock of each of these processes; empty without a GPU
  double flops = 0;  ///< declared arithmetic of one operation, also of whole numbers, of the first process
  double bytes = 0;  ///< likewise
  /// Directions of the link that its bytes crossed at once, as its benchmark notes: 2, or 1 without a note.
  int link_directions = 1;
  bool saturating = false;  ///< its benchmark notes that a healthy device comes near the limit
  std::string instruction;  ///< the one that its benchmark measures alone (result/instructions.hpp)
  std::string not_judged;   ///< why some process's value does not count; "" when all do

  bool judged() const { return !values.empty(); }  ///< Whether any process's value counts.
};

/// One benchmark in all processes of a run.
struct BenchmarkState {
  std::string family;  ///< of the processes that list it
  int processes = 0;   ///< that list it
  /// Of how many processes of its family it was asked, as far as this run shows: those up to the last that
  /// lists it. A benchmark is measured in the first so many of its family's processes.
  int asked = 0;
  int ok = 0;                                 ///< of these, in which it was sound()
  int occupied = 0;                           ///< of these, that found no room for it (result::occupied)
  result::Status worst = result::Status::ok;  ///< failed before interrupted, unavailable, skipped, ok
  std::string reason;                         ///< of the first process with that status
};

/// One process of a family.
struct FamilyProcess {
  int index = 0;          ///< result::Process::index
  bool occupied = false;  ///< it could not begin because something else held the GPU
};

/// All that the processes of one run say of each metric and benchmark.
struct Collected {
  std::map<std::string, MetricValues> metrics;                  ///< by result::metric_key
  std::map<std::string, BenchmarkState> benchmarks;             ///< by id
  std::map<std::string, std::vector<FamilyProcess>> processes;  ///< of each family
};

/// What the processes of a benchmark's family found about their device (result::Samples::context).
class DeviceFacts {
 public:
  /// Of the first process of the benchmark's family that left samples. Points into `run`, which must live
  /// longer.
  DeviceFacts(const result::Run& run, const std::string& benchmark);
  std::string text(const std::string& fact) const;  ///< "" when absent
  double number(const std::string& fact) const;     ///< 0 when absent or no number above 0

 private:
  const result::Facts* facts_ = nullptr;
};

/// Only benchmarks that ended ok with all checks passed lend their values.
Collected collect(const result::Run& run);

/// Every value of a metric, those that are only recorded included: what is held against a baseline that knows
/// it.
std::vector<double> measured(const MetricValues& metric);

/// True when the benchmark itself says ok and none of its checks failed.
bool sound(const result::BenchmarkResult& benchmark);

/// How bad a status with its reason is, 0 for ok: ok, occupied, skipped, unavailable, interrupted, failed.
int gravity(result::Status status, const std::string& reason);

/// Of a process as a whole: what its sample file says counts where the process itself ended well.
result::Status status_of(const result::Process& process);
const std::string& reason_of(const result::Process& process);  ///< of status_of()

/// The first fault of an unsound benchmark, one sentence.
std::string fault(const result::BenchmarkResult& benchmark);

}  // namespace gpugauge::judge
