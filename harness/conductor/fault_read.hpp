// What the commands that were measured under a fault wrote, read for what counts here. Pure.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "report/inject.hpp"

namespace gpugauge::conductor {

/// From the JSON report of a check of one device: found where the device regressed or failed. Throws
/// result::FormatError for what is no such report. A check that could not judge is a trial with a problem.
report::InjectTrial check_trial(const std::string& report);

/// The causes in `gpugauge doctor --json`, first to last. Throws result::FormatError.
std::vector<std::string> doctor_causes(const std::string& report);

/// From the same: found where it says more than of the healthy machine; causes are those more. Throws
/// result::FormatError.
report::InjectTrial doctor_trial(const std::string& report, const std::set<std::string>& healthy);

/// The last line that a command wrote to standard error, without its own name, or how it ended.
std::string last_said(const std::string& errors, const std::string& fault);
/// The sentence without its ending that something is kept in `folder`, which is gone with the command.
std::string without_place(std::string sentence, const std::filesystem::path& folder);

}  // namespace gpugauge::conductor
