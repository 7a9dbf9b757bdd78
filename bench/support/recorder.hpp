// Results in the order of measurement, and a partial sample file in case the process does not finish. The
// driver may crash, hang in a call, or end the process.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "result/samples.hpp"

namespace gpugauge::bench {

/// Collects the results of a process, and writes them to the sample file before and after each benchmark.
class Recorder {
 public:
  /// `known`: what is known before the first benchmark. `file`: the sample file; nullopt where nobody asked
  /// for one.
  Recorder(result::Samples known, std::optional<std::filesystem::path> file);

  /// Call this before a benchmark is measured. If the process ends meanwhile, the sample file holds all
  /// results so far and this one as interrupted, with status failed. No file of a process that finished has
  /// both. The file is not synced. If it cannot be written, the last one stays unless it blames a benchmark that
  /// is over. The error itself is ignored here: the final write reports it.
  void begin(const std::string& id, const result::Facts& parameters);
  /// Stores what an unfinished benchmark has measured. If the process ends meanwhile, the sample file holds
  /// it with the results so far. `reason` says why the file's status is failed. If `measured` is interrupted,
  /// the file takes its status and reason.
  void keep(result::BenchmarkResult measured, const std::string& reason);
  /// Adds a finished result. The sample file then holds the results so far, and blames none of them if the process
  /// ends before the next one. Google Benchmark enters a body once per repetition. Only the last repetition is
  /// kept, because repetitions inside a process are not independent samples.
  void add(result::BenchmarkResult fresh);
  /// Returns all results, without a summary.
  result::Samples take();

 private:
  /// Writes the results so far and `current`, if there is one, as the file of a process that did not finish.
  /// If it cannot, a file that blames another benchmark than `current` is removed.
  void write(std::optional<result::BenchmarkResult> current, result::Status status,
             const std::string& reason);

  result::Samples samples_;
  std::optional<std::filesystem::path> file_;
  std::string blamed_;  ///< the benchmark that the file holds as unfinished; "" where it holds none
  std::map<std::string, int> entered_;
};

}  // namespace gpugauge::bench
