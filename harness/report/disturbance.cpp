#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/format.hpp"
#include "report/summary.hpp"

namespace gpugauge::report {
namespace {

/// Below these shares of the measured time a machine counts as quiet.
constexpr double other_work_matters = .1;  // processors
constexpr double pressure_matters = .1;    // share of the time in which some thread waited
constexpr double steal_matters = .01;      // processors

}  // namespace

std::string disturbance(const result::Run& run) {
  double wall = 0;
  double other = 0;
  double pressure = 0;
  double steal = 0;
  double throttled = 0;
  double periods = 0;
  for (const result::Process& process : run.processes) {
    const auto value = [&](const char* name) {
      const auto found = process.host.find(name);
      return found == process.host.end() ? 0 : found->second;
    };
    wall += process.wall_seconds;
    other += value("other_cpu_seconds");
    pressure += value("pressure_cpu_seconds");
    steal += value("steal_seconds");
    throttled += value("cgroup_throttled_seconds");
    periods += value("cgroup_throttled_periods");
  }
  if (wall <= 0) return "";
  std::vector<std::string> out;
  if (periods > 0)
    out.push_back(fmt::format("a control group throttled it in {:.0f} period{}, for {} in all", periods,
                              periods == 1 ? "" : "s", quantity(throttled, "second")));
  if (other / wall > other_work_matters)
    out.push_back(fmt::format("other work took {:.1f} processors on average", other / wall));
  if (pressure / wall > pressure_matters)
    // The kernel updates this counter at intervals, not when a process ends. Over a short time the value may
    // be slightly too large.
    out.push_back(fmt::format("some thread waited for a processor {} of the time",
                              percent(std::min(1.0, pressure / wall))));
  if (steal / wall > steal_matters)
    out.push_back(fmt::format("the hypervisor took {:.2f} processors away on average", steal / wall));
  if (out.empty()) return "";
  return fmt::format("While it was measured: {}.", fmt::join(out, "; "));
}

}  // namespace gpugauge::report
