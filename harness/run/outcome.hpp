// What one process comes to: how it ended and the file it left, turned into a status and one sentence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "result/run_file.hpp"
#include "run/child.hpp"

namespace gpugauge::run {

/// What a process was to measure, and on what.
struct Asked {
  std::string visible = "host";         ///< Plan::device
  std::vector<std::string> benchmarks;  ///< ids that its samples must hold; empty where none is known
};

/// Fills status, reason, exit code, signal, output and samples of `process`, whose family is set. A sample
/// file is kept whatever the process's end was, provided that it is whole, of this family, and of the GPUs
/// that were asked for: other ones' values must not be filed under theirs. A process that says that all is
/// well and lacks a benchmark failed. One that could not keep its samples (result::exit_samples_not_kept) was
/// interrupted. `stopped_by` names the signal that stopped the run, "" if none did. Returns remarks for the
/// run.
std::vector<std::string> conclude_process(result::Process& process, const ChildEnd& end,
                                          const std::string& executable,
                                          const std::filesystem::path& samples_file,
                                          const std::string& stopped_by, const Asked& asked = {});

/// Puts suite.version and suite.source_hash.<family> from the samples into `suite`. Returns a remark for each
/// that two processes contradict each other about: somebody installed another build in mid-run.
std::vector<std::string> add_suite_facts(result::Facts& suite, const std::vector<result::Process>& processes);

}  // namespace gpugauge::run
