// Measures several devices at the same time, with one command per device so that each run is complete.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/progress.hpp"

namespace gpugauge::conductor {

/// One `gpugauge` command for one device.
struct DeviceCommand {
  std::string device;                  ///< for people
  std::vector<std::string> arguments;  ///< arguments for this executable
};

/// How one command ended.
struct DeviceEnd {
  std::string device;      ///< DeviceCommand::device
  int exit_code = 2;       ///< 2 when it did not end by itself
  std::string output;      ///< its standard output
  std::string fault;       ///< "" or one sentence: why there is no exit code, or its last error message
  std::string stopped_by;  ///< signal that asked to stop while they ran, equal for all; "" for none
};

/// Starts all commands at once and waits for them; the results are in the order of the commands. Passes
/// SIGINT, SIGTERM and SIGHUP on, so that each command writes what it has. A further signal does not extend
/// that time. Calls `progress` once per second. The time left is estimated from `expected_seconds` (< 0 =
/// unknown).
std::vector<DeviceEnd> run_together(const std::vector<DeviceCommand>& commands, double expected_seconds,
                                    const std::function<void(const report::ProgressState&)>& progress);

}  // namespace gpugauge::conductor
