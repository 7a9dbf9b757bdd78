// Runs the frameworks of a Python, each in a fresh process, and proves on which device their work ran.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/frameworks.hpp"
#include "report/progress.hpp"
#include "result/run_file.hpp"
#include "run/runner.hpp"
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

/// A plan with all but the families and the profile's name: one process of each, in the unchanged environment,
/// within the options' window and time limit.
run::Plan plan_beside_frameworks(const FrameworkOptions& options, const stack::GpuReport& gpus);
/// Passes a plan's progress on to the options'.
std::function<void(const run::Progress&)> plan_progress(const FrameworkOptions& options);

/// Runs each framework once, in its own process, in the unchanged environment. A failing framework never
/// causes an exception: it ends with a status and a reason. Then measures the products that ran on a GPU with
/// our own cuBLAS (products_beside.hpp), whose figures stand beside the frameworks' own. Throws
/// result::FileError when the probes are not installed.
result::Run run_frameworks(const FrameworkOptions& options, const stack::GpuReport& gpus);

/// The result of each framework, with an observation and a diagnosis for each installed one. Pure.
report::FrameworksReport judge_frameworks(const result::Run& run, const stack::GpuReport& gpus);

}  // namespace gpugauge::conductor
