// What failed, as errors and log lines of an observation. Pure.
#pragma once

#include <string>
#include <vector>

#include "diagnose/observation.hpp"
#include "report/summary.hpp"
#include "result/run_file.hpp"
#include "result/samples.hpp"

namespace gpugauge::conductor {

/// Adds to `out.errors` why processes and benchmarks failed, once per error number or reason, and what the
/// physical judge failed and no figure shows ("gpu/lost", "clocks/sm"). A family that did not begin counts
/// where it is in the baseline, and where its ranks refused to begin together. What a policy calls advisory
/// is left out. Adds to `out.log` one line for each Xid that NVML reported of the measured GPUs, and what a
/// process said that died without samples. An Xid that the table blames on a program is added only beside an
/// error.
void add_failures(const report::DeviceReport& device, diagnose::Observation& out);

/// Adds what a process printed, line by line, to `log`; of a family of ours (`framework` is false) without the
/// rows of its own table.
void add_output(const result::Process& process, bool framework, std::vector<std::string>& log);

/// The error that a reason tells of: the number of a CUDA error, the name of another library's, or only the
/// text. The explanation that result::explain_cuda_error() adds to a number is no observation and left out.
diagnose::ErrorSeen error_in(const std::string& reason);

}  // namespace gpugauge::conductor
