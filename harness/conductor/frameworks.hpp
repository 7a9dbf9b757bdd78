// Runs the frameworks of a Python, each in a fresh process, and proves on which device their work ran.
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

/// The frameworks that have a probe, in reading order.
const std::vector<std::string>& probed_frameworks();

/// Which frameworks are run, where and for how long.
struct FrameworkOptions {
  std::filesystem::path python;    ///< the interpreter
  std::vector<std::string> names;  ///< a subset of probed_frameworks()
  double window_seconds = 1;       ///< per operation
  double limit_seconds = 180;  ///< limit of one framework's process, which is then killed with its children
  std::vector<std::string> command;                            ///< argv, for the record
  std::function<void(const report::ProgressState&)> progress;  ///< called while they run; may be empty
};

/// Path of frameworks/probe.py in GPUGAUGE_LIBEXEC, or in ../libexec/gpugauge beside the command.
std::filesystem::path probe_script();

/// Runs each framework once, in its own process, in the unchanged environment. A failing framework never
/// causes an exception: it ends with a status and a reason. Throws result::FileError when the probes are not
/// installed.
result::Run run_frameworks(const FrameworkOptions& options, const stack::GpuReport& gpus);

/// The result of each framework, with an observation and a diagnosis for each installed one. Pure.
report::FrameworksReport judge_frameworks(const result::Run& run, const stack::GpuReport& gpus);

}  // namespace gpugauge::conductor
