// What the kernel counts about this machine and this process: read before and after, the difference is what
// happened.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "stack/cgroup.hpp"

namespace gpugauge::run {

/// Sums since boot, or since this process or its groups were made. Seconds are processor seconds unless said
/// otherwise; absent where the kernel does not count.
struct HostCounters {
  std::optional<double> busy_seconds;    ///< all processors: user, system, interrupts
  std::optional<double> iowait_seconds;  ///< idle while some task waited for a disk, summed over processors
  std::optional<double> steal_seconds;   ///< the hypervisor ran somebody else
  std::optional<double> total_seconds;   ///< the above and idle
  std::optional<double> pressure_cpu_seconds;     ///< wall seconds in which some task waited for a processor
  std::optional<double> pressure_memory_seconds;  ///< wall seconds in which some task waited for memory
  /// Periods in which one of our groups used up its CPU quota, summed over the groups.
  std::optional<double> throttled_periods;
  std::optional<double> throttled_seconds;  ///< waited for because of it, summed over processors and groups
  std::optional<double> numa_misses;        ///< pages that were wanted on another node
  double own_seconds = 0;                   ///< this process
  double children_seconds = 0;              ///< its children that have ended, with theirs
  /// Times that one of those children was made to give up its processor (ru_nivcsw).
  double children_involuntary_switches = 0;
};

/// Finds once where to read, then reads cheaply.
class HostReader {
 public:
  /// `root`: prefix of /proc and /sys, for tests. Times of this process and its children come from the system
  /// call whatever it is.
  explicit HostReader(std::filesystem::path root = "/");

  HostCounters counters() const;  ///< reads all of them now; what cannot be read is absent
  /// Mean number of runnable and waiting tasks over a minute (/proc/loadavg); nullopt where it cannot be
  /// read.
  std::optional<double> load1() const;
  /// What could be allotted without swapping, as the kernel estimates it (MemAvailable); nullopt likewise.
  std::optional<double> memory_available_bytes() const;
  /// Mean over at most eight processors: on some machines each reading interrupts the processor that it asks
  /// about.
  std::optional<double> cpu_clock_hz() const;

 private:
  std::filesystem::path root_;
  std::vector<stack::CpuGroup> groups_;
  std::vector<std::filesystem::path> clocks_, numa_;
};

/// The entries of result::Process::host for one child that ran, alone, between two readings.
/// `helpers_seconds` is what helper processes of ours used meanwhile: it counts neither as the child's nor as
/// somebody else's.
std::map<std::string, double> difference(const HostCounters& before, const HostCounters& after,
                                         double helpers_seconds = 0);

}  // namespace gpugauge::run
