// Files that an injected fault finds or makes on this machine: libraries loaded into the measured processes,
// and folders that search paths point to.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "conductor/fault_table.hpp"

namespace gpugauge::conductor {

/// Where a fault finds and makes its files.
struct FaultPlace {
  std::filesystem::path folder;      ///< where files are made; the owner of the folder removes it
  std::filesystem::path root = "/";  ///< root below which libraries are searched
};

/// Why something that the fault needs is missing here, as a clause; "" where nothing is.
std::string why_not_made(const Fault& fault, const FaultPlace& place);

/// Environment variables that set the fault on a command: those of the table, and those that point to found
/// or made files. Call only where why_not_made() is "". Throws result::FileError where a file cannot be made.
std::map<std::string, std::string> fault_variables(const Fault& fault, const FaultPlace& place);

/// Variables for the healthy command that the fault is compared with: only those that both sides need.
std::map<std::string, std::string> healthy_variables(FoundBy found_by);

/// The file that the fault creates when it takes effect; "" for a fault that always takes effect.
std::filesystem::path fault_mark(const Fault& fault, const FaultPlace& place);

}  // namespace gpugauge::conductor
