// Reads the output of commands that were measured under a fault. Pure.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "report/inject.hpp"

namespace gpugauge::conductor {

/// Whether a fault is a program beside the check, which says then that what is worse may be its neighbour's doing, and
/// judges nothing.
enum class Beside { nobody, a_program };

/// Reads the JSON report of a check of one device; the fault is found where the device regressed or failed, and
/// beside a program where it is worse. A check that could not judge becomes a trial with a problem otherwise. Throws
/// result::FormatError for any other text.
report::InjectTrial check_trial(const std::string& report, Beside beside = Beside::nobody);

/// The causes in `gpugauge doctor --json`, in their order. Throws result::FormatError.
std::vector<std::string> doctor_causes(const std::string& report);

/// Reads `gpugauge doctor --json`; the fault is found where it names causes that are not in `healthy`. The
/// trial lists only those causes. Throws result::FormatError.
report::InjectTrial doctor_trial(const std::string& report, const std::set<std::string>& healthy);

/// The last line that a command wrote to standard error, without the command's name; otherwise how it ended.
std::string last_said(const std::string& errors, const std::string& fault);
/// Removes the sentence's ending that says something is kept in `folder`: that folder is deleted with the
/// command.
std::string without_place(std::string sentence, const std::filesystem::path& folder);

}  // namespace gpugauge::conductor
