// The state of the host during a run.
#pragma once

#include <vector>

#include "result/run_file.hpp"
#include "run/host_counters.hpp"

namespace gpugauge::run {

/// Series of source "host". Shares cover the time since the previous sample; counts start at the first
/// sample. load1; cpu_busy, cpu_iowait, cpu_steal (shares of all processors' time, 0 to 1); pressure_cpu,
/// pressure_memory (shares of wall time in which some task waited); cpu_throttled_periods,
/// cpu_throttled_seconds (by the quota of our groups); cpu_clock_hz (mean); memory_available_bytes;
/// numa_misses. A value that cannot be read gives no series.
class HostTelemetry {
 public:
  /// Reads the counters as a reference for later samples; takes no sample yet.
  explicit HostTelemetry(HostReader reader);

  /// Takes a sample. `seconds` is the time since the run's start and must rise from call to call.
  void sample(double seconds);
  /// The series with at least one value.
  std::vector<result::Series> series() const;

 private:
  void add(const char* name, const char* unit, std::optional<double> value);
  void add_share(const char* name, std::optional<double> before, std::optional<double> after, double whole);

  HostReader reader_;
  HostCounters first_, last_;
  double last_seconds_ = 0, now_ = 0;
  std::vector<result::Series> series_;
};

}  // namespace gpugauge::run
