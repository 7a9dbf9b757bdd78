// Results in the order in which they were measured, and what of them is left when the process does not live
// to write its sample file: when the driver crashes, hangs in a call, or ends the process.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "result/samples.hpp"

namespace gpugauge::bench {

/// Collects the results of a process, and keeps them in the sample file before each benchmark.
class Recorder {
 public:
  /// What is known before the first benchmark; `file` is the sample file, nullopt where nobody asked for one.
  Recorder(result::Samples known, std::optional<std::filesystem::path> file);

  /// A benchmark is about to be measured. Should the process end meanwhile, the sample file holds all results
  /// so far and this one as interrupted, and its status is failed: no file that was written to its end has
  /// both. The file is not synced, and where it cannot be written that is left for the end to say.
  void begin(const std::string& id, const result::Facts& parameters);
  /// What was measured of a benchmark that is not over yet. Should the process end meanwhile, the sample file
  /// holds it with the results so far, and why its status is failed all the same (`reason`). Of one that was
  /// interrupted, status and reason are the file's, too.
  void keep(result::BenchmarkResult measured, const std::string& reason);
  /// How it went. Google Benchmark enters a body once a repetition: the last one is kept, because repetitions
  /// inside a process are no independent samples.
  void add(result::BenchmarkResult fresh);
  /// Everything, without a summary.
  result::Samples take();

 private:
  /// The results so far and `current`, as the file of a process that did not come to its end.
  void write(result::BenchmarkResult current, result::Status status, const std::string& reason) const;

  result::Samples samples_;
  std::optional<std::filesystem::path> file_;
  std::map<std::string, int> entered_;
};

}  // namespace gpugauge::bench
