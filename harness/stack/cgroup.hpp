// Control groups that limit this process's processor time and memory: version 1, version 2, or both at once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::stack {

/// One level of a control group hierarchy.
struct CpuGroup {
  int version = 2;                  ///< 1 or 2
  std::filesystem::path directory;  ///< as mounted here, including the root prefix
};

/// The groups of this process: its own first, then every visible ancestor. Searches both versions; on a
/// hybrid system only one has the processor controller, and the other adds no level. Empty if no group can be
/// read. An ancestor outside a container's name space is not visible.
std::vector<CpuGroup> cpu_groups(const std::filesystem::path& root = "/");

/// This process's own group per version, whether or not it limits, if the processor controller is there. A
/// new group can be made below it.
std::vector<CpuGroup> own_cpu_groups(const std::filesystem::path& root = "/");

/// Smallest quota / period over the groups, in processors (1.5 = one and a half); nullopt if no limit is
/// visible.
std::optional<double> cpu_limit(const std::vector<CpuGroup>& groups);

/// Smallest visible memory limit of this process's control groups, in bytes; nullopt if there is none.
std::optional<double> memory_limit(const std::filesystem::path& root = "/");

/// Effects of the quota since the groups were made, summed over the groups.
struct CpuThrottling {
  double periods = 0;            ///< periods that elapsed under a quota
  double throttled_periods = 0;  ///< of these, periods in which a group used up its quota
  double throttled_seconds = 0;  ///< processor time lost by waiting, summed over processors
};
/// Reads the counters now; a group whose file cannot be read adds nothing.
CpuThrottling read_throttling(const std::vector<CpuGroup>& groups);

}  // namespace gpugauge::stack
