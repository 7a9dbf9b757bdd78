// Control groups that limit this process's processor time and memory: version 1, version 2 and both at once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::stack {

/// One level of a hierarchy.
struct CpuGroup {
  int version = 2;                  ///< 1 or 2
  std::filesystem::path directory;  ///< as mounted here, with the root prefix
};

/// The groups this process is in, its own first, then every ancestor that is visible from here. Both versions
/// are looked at: on a hybrid system the processor controller is in only one of them, and the other adds no
/// level. Empty where no group can be read. An ancestor outside a container's namespace cannot be seen.
std::vector<CpuGroup> cpu_groups(const std::filesystem::path& root = "/");

/// The group that this process itself is in, one for each version whose processor controller is there,
/// whether or not it limits: below it a group of its own can be made.
std::vector<CpuGroup> own_cpu_groups(const std::filesystem::path& root = "/");

/// Smallest quota / period over the groups, in processors (1.5 = one and a half); nullopt: no limit that is
/// visible.
std::optional<double> cpu_limit(const std::vector<CpuGroup>& groups);

/// Smallest memory limit of this process's control groups that is visible here, in bytes; nullopt: none.
std::optional<double> memory_limit(const std::filesystem::path& root = "/");

/// What the quota did since the groups were made, summed over the groups.
struct CpuThrottling {
  double periods = 0;            ///< periods that were elapsed under a quota
  double throttled_periods = 0;  ///< of those, periods in which a group ran out
  double throttled_seconds = 0;  ///< processor time that was waited for, summed over processors
};
/// Reads the counters now; a group whose file cannot be read adds nothing.
CpuThrottling read_throttling(const std::vector<CpuGroup>& groups);

}  // namespace gpugauge::stack
