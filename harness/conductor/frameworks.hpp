// The frameworks of a Python: each runs in a fresh process of that Python and proves where its work ran.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/frameworks.hpp"
#include "report/progress.hpp"
#include "result/run_file.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {

/// Those that there is a probe for, in reading order.
const std::vector<std::string>& probed_frameworks();

/// Which frameworks are run, where and for how long.
struct FrameworkOptions {
  std::filesystem::path python;      ///< the interpreter
  std::vector<std::string> names;    ///< of probed_frameworks()
  double window_seconds = 1;         ///< per operation
  double limit_seconds = 180;        ///< of one framework's process; then it is killed with its children
  std::vector<std::string> command;  ///< argv, for the record
  std::function<void(const report::ProgressState&)> progress;  ///< called while they run; may be empty
};

/// Where the probes lie: GPUGAUGE_LIBEXEC or ../libexec/gpugauge beside the command, frameworks/probe.py.
std::filesystem::path probe_script();

/// Runs each framework once, in its own process, in the environment as it is. What a framework does never
/// throws: it ends with a status and a reason. Throws result::FileError when the probes are not installed.
result::Run run_frameworks(const FrameworkOptions& options, const stack::GpuReport& gpus);

/// What the run says of each framework, with an observation and a diagnosis where it is there. Pure.
report::FrameworksReport judge_frameworks(const result::Run& run, const stack::GpuReport& gpus);

}  // namespace gpugauge::conductor
