// The loop of `gpugauge selftest --inject`: healthy rounds first, then every fault, repeatedly.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conductor/fault_run.hpp"
#include "report/progress.hpp"

namespace gpugauge::conductor {

/// What is tried, and how often.
struct InjectOptions {
  FaultBench bench;                                            ///< where and with what
  std::vector<std::string> only;                               ///< ids of the table; empty = all of them
  int repeat = 1;                                              ///< trials per fault
  int quiet_runs = 0;                                          ///< checks of the first device without a fault
  std::function<void(const report::ProgressState&)> progress;  ///< about once a second; may be empty
};

/// Measures the healthy machine, then each fault that can be set here, `repeat` times in turn, with the quiet
/// runs spread between. The report lists what could not be tried, with the reason. Everything that was set is
/// removed on return, even after a signal. Throws result::UsageError for an unknown fault.
report::InjectReport inject_faults(const InjectOptions& options);

}  // namespace gpugauge::conductor
