// Turns a process's end and the file it left into a status and one sentence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "result/run_file.hpp"
#include "run/child.hpp"

namespace gpugauge::run {

/// What a process had to measure, and on which device.
struct Asked {
  std::string visible = "host";         ///< Plan::device
  std::vector<std::string> benchmarks;  ///< ids that its samples must hold; empty where none is known
};

/// Fills status, reason, exit code, signal, output and samples of `process`, whose family is set. Keeps a
/// sample file however the process ended, if the file is whole, of this family, and of the requested GPUs.
/// Values of other GPUs must not be filed under these. A process that reports success but lacks a benchmark
/// counts as failed. One that could not keep its samples (result::exit_samples_not_kept) counts as
/// interrupted. `stopped_by` names the signal that stopped the run, "" if none did. Returns remarks for the
/// run.
std::vector<std::string> conclude_process(result::Process& process, const ChildEnd& end,
                                          const std::string& executable,
                                          const std::filesystem::path& samples_file,
                                          const std::string& stopped_by, const Asked& asked = {});

/// Copies suite.version and suite.source_hash.<family> from the samples into `suite`. Returns one remark per
/// fact on which two processes disagree: somebody installed another build during the run.
std::vector<std::string> add_suite_facts(result::Facts& suite, const std::vector<result::Process>& processes);

}  // namespace gpugauge::run
