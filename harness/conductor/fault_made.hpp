// What an injected fault takes from this machine, or has made for it: libraries that come into the measured
// processes, folders that search paths are led to.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "conductor/fault_table.hpp"

namespace gpugauge::conductor {

/// Where faults find what they are made of.
struct FaultPlace {
  std::filesystem::path folder;      ///< for what is made; its owner removes it
  std::filesystem::path root = "/";  ///< below which libraries are looked for
};

/// Why what the fault needs is not here, as a clause; "" where it is.
std::string why_not_made(const Fault& fault, const FaultPlace& place);

/// The variables that put the fault around a command: those of the table, and those that lead to what was
/// found or made. Call it where why_not_made() is "". Throws result::FileError where a file cannot be made.
std::map<std::string, std::string> fault_variables(const Fault& fault, const FaultPlace& place);

/// The same for a healthy command that the fault is compared with: no more than what both need.
std::map<std::string, std::string> healthy_variables(FoundBy found_by);

/// The file that a fault makes where it takes effect; "" for one that cannot fail to.
std::filesystem::path fault_mark(const Fault& fault, const FaultPlace& place);

}  // namespace gpugauge::conductor
