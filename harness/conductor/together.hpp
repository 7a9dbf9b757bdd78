// Several devices at the same time: one command of its own for each, so that every run stays a whole one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/progress.hpp"

namespace gpugauge::conductor {

/// One `gpugauge` command for one device.
struct DeviceCommand {
  std::string device;                  ///< for people
  std::vector<std::string> arguments;  ///< of this executable
};

/// How one of them ended.
struct DeviceEnd {
  std::string device;      ///< DeviceCommand::device
  int exit_code = 2;       ///< 2 when it did not end by itself
  std::string output;      ///< its standard output
  std::string fault;       ///< "" or one sentence: why it has no exit code, or what it said last
  std::string stopped_by;  ///< the signal that asked to stop while they ran, the same of all; "" for none
};

/// Starts all commands at once and waits for all; the ends are in the order of the commands. SIGINT, SIGTERM
/// and SIGHUP are passed on to them: each writes what it has, in a time that a further signal does not
/// lengthen. `progress` is called once a second; `expected_seconds` (< 0 unknown) is what its time left is
/// estimated from.
std::vector<DeviceEnd> run_together(const std::vector<DeviceCommand>& commands, double expected_seconds,
                                    const std::function<void(const report::ProgressState&)>& progress);

}  // namespace gpugauge::conductor
