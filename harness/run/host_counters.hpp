// Counters that the kernel keeps for this machine and this process. Subtract two readings to get what
// happened between.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "stack/cgroup.hpp"

namespace gpugauge::run {

/// Totals since boot, or since this process or its control groups began. Seconds are processor seconds unless
/// noted. A value is absent where the kernel does not count it.
struct HostCounters {
  std::optional<double> busy_seconds;    ///< all processors: user, system, interrupts
  std::optional<double> iowait_seconds;  ///< idle while some task waited for a disk, summed over processors
  std::optional<double> steal_seconds;   ///< the hypervisor ran somebody else
  std::optional<double> total_seconds;   ///< the above and idle
  std::optional<double> pressure_cpu_seconds;     ///< wall seconds in which some task waited for a processor
  std::optional<double> pressure_memory_seconds;  ///< wall seconds in which some task waited for memory
  /// Periods in which one of our groups used up its CPU quota, summed over the groups.
  std::optional<double> throttled_periods;
  std::optional<double> throttled_seconds;  ///< lost to the CPU quota, summed over processors and groups
  std::optional<double> numa_misses;        ///< pages allocated on another node than was wanted
  double own_seconds = 0;                   ///< this process
  double children_seconds = 0;              ///< its children that have ended, and their collected children
  /// How often those children were preempted (ru_nivcsw).
  double children_involuntary_switches = 0;
};

/// Finds the files to read once; each reading is then cheap.
class HostReader {
 public:
  /// `root`: prefix of /proc and /sys, for tests. It does not affect the times of this process and its
  /// children, which come from a system call.
  explicit HostReader(std::filesystem::path root = "/");

  HostCounters counters() const;  ///< reads all of them now; what cannot be read is absent
  /// Mean number of runnable and waiting tasks over one minute (/proc/loadavg). nullopt if it cannot be read.
  std::optional<double> load1() const;
  /// Memory that programs can get without swapping, as the kernel estimates it (MemAvailable). nullopt if it
  /// cannot be read.
  std::optional<double> memory_available_bytes() const;
  /// Mean over at most eight processors. On some machines each reading interrupts the processor it asks
  /// about. nullopt if none can be read.
  std::optional<double> cpu_clock_hz() const;

 private:
  std::filesystem::path root_;
  std::vector<stack::CpuGroup> groups_;
  std::vector<std::filesystem::path> clocks_, numa_;
};

/// The entries of result::Process::host for one child that ran alone between two readings. `helpers_seconds`
/// is the time our helper processes used meanwhile. It counts neither for the child nor for other programs.
std::map<std::string, double> difference(const HostCounters& before, const HostCounters& after,
                                         double helpers_seconds = 0);

}  // namespace gpugauge::run
