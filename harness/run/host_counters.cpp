// Reads the kernel's counters in /proc and /sys and computes their differences.
#include "run/host_counters.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::optional<double> read_number(const fs::path& file) {
  std::ifstream stream(file);
  double value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

/// "total" in the "some" line, converted to seconds; the pressure files count microseconds.
std::optional<double> read_pressure(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  bool some = false;
  while (stream >> word) {
    if (word == "some" || word == "full") some = word == "some";
    if (!some || word.rfind("total=", 0) != 0) continue;
    double microseconds = 0;
    if (std::istringstream(word.substr(6)) >> microseconds) return microseconds * 1e-6;
  }
  return std::nullopt;
}

void read_processors(const fs::path& file, HostCounters& counters) {
  std::ifstream stream(file);
  std::string name;
  // user nice system idle iowait irq softirq steal; guest time is in user and nice already
  std::array<double, 8> ticks{};
  if (!(stream >> name) || name != "cpu") return;
  for (auto& value : ticks)
    if (!(stream >> value)) return;
  const double second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  counters.busy_seconds = (user + nice + system + irq + softirq) / second;
  counters.iowait_seconds = iowait / second;
  counters.steal_seconds = steal / second;
  counters.total_seconds = (user + nice + system + idle + iowait + irq + softirq + steal) / second;
}

std::optional<double> read_numa_misses(const std::vector<fs::path>& files) {
  std::optional<double> misses;
  for (const auto& file : files) {
    std::ifstream stream(file);
    std::string name;
    double value = 0;
    while (stream >> name >> value)
      if (name == "numa_miss") misses = misses.value_or(0) + value;
  }
  return misses;
}

/// Path of FILE in each entry of a folder whose name starts with PREFIX, if it exists there.
std::vector<fs::path> find(const fs::path& folder, const std::string& prefix, const std::string& file) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code missing;
    if (entry->path().filename().string().rfind(prefix, 0) != 0) continue;
    if (fs::exists(entry->path() / file, missing)) found.push_back(entry->path() / file);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void put(std::map<std::string, double>& into, const std::string& name, const std::optional<double>& before,
         const std::optional<double>& after) {
  if (before && after) into[name] = std::max(0.0, *after - *before);
}

}  // namespace

HostReader::HostReader(fs::path root) : root_(std::move(root)), groups_(stack::cpu_groups(root_)) {
  constexpr std::size_t most = 8;
  const auto all = find(root_ / "sys/devices/system/cpu/cpufreq", "policy", "scaling_cur_freq");
  const std::size_t stride = (all.size() + most - 1) / most;
  for (std::size_t i = 0; i < all.size(); i += stride) clocks_.push_back(all[i]);
  numa_ = find(root_ / "sys/devices/system/node", "node", "numastat");
}

HostCounters HostReader::counters() const {
  HostCounters counters;
  read_processors(root_ / "proc/stat", counters);
  counters.pressure_cpu_seconds = read_pressure(root_ / "proc/pressure/cpu");
  counters.pressure_memory_seconds = read_pressure(root_ / "proc/pressure/memory");
  if (!groups_.empty()) {
    const auto throttling = stack::read_throttling(groups_);
    counters.throttled_periods = throttling.throttled_periods;
    counters.throttled_seconds = throttling.throttled_seconds;
  }
  counters.numa_misses = read_numa_misses(numa_);
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    counters.own_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  if (getrusage(RUSAGE_CHILDREN, &usage) == 0) {
    counters.children_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    counters.children_involuntary_switches = static_cast<double>(usage.ru_nivcsw);
  }
  return counters;
}

std::optional<double> HostReader::load1() const {
  return read_number(root_ / "proc/loadavg");
}

std::optional<double> HostReader::memory_available_bytes() const {
  std::ifstream stream(root_ / "proc/meminfo");
  std::string line;
  while (std::getline(stream, line)) {
    double kibibytes = 0;
    std::string name;
    if (line.rfind("MemAvailable:", 0) == 0 && std::istringstream(line) >> name >> kibibytes)
      return kibibytes * 1024;
  }
  return std::nullopt;
}

std::optional<double> HostReader::cpu_clock_hz() const {
  double sum = 0;
  int count = 0;
  for (const auto& file : clocks_) {
    const auto kilohertz = read_number(file);
    if (!kilohertz) continue;
    sum += *kilohertz * 1e3;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::map<std::string, double> difference(const HostCounters& before, const HostCounters& after,
                                         double helpers_seconds) {
  std::map<std::string, double> host;
  const double child = after.children_seconds - before.children_seconds;
  host["cpu_seconds"] = child;
  host["involuntary_switches"] = after.children_involuntary_switches - before.children_involuntary_switches;
  put(host, "steal_seconds", before.steal_seconds, after.steal_seconds);
  put(host, "cgroup_throttled_periods", before.throttled_periods, after.throttled_periods);
  put(host, "cgroup_throttled_seconds", before.throttled_seconds, after.throttled_seconds);
  put(host, "pressure_cpu_seconds", before.pressure_cpu_seconds, after.pressure_cpu_seconds);
  put(host, "pressure_memory_seconds", before.pressure_memory_seconds, after.pressure_memory_seconds);
  if (before.busy_seconds && after.busy_seconds) {
    const double ours = child + (after.own_seconds - before.own_seconds) + helpers_seconds;
    // The kernel counts the machine in ticks but a process exactly, so the difference may be negative.
    host["other_cpu_seconds"] = std::max(0.0, *after.busy_seconds - *before.busy_seconds - ours);
  }
  return host;
}

}  // namespace gpugauge::run
