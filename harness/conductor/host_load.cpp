#include "conductor/host_load.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "conductor/work_samples.hpp"
#include "judge/pace.hpp"
#include "result/number.hpp"

namespace gpugauge::conductor {
namespace {

using Runs = std::vector<result::Run>;

/// Means over the time of all processes: seconds of each counter per second of wall time.
struct Host {
  double wall = 0;
  double other = 0;
  double pressure = 0;
  double memory_pressure = 0;
  double steal = 0;
  double periods = 0;
};

Host host_of(const Runs& runs) {
  Host out;
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      const auto value = [&](const char* name) {
        const auto found = process.host.find(name);
        return found == process.host.end() ? 0 : found->second;
      };
      out.wall += process.wall_seconds;
      out.other += value("other_cpu_seconds");
      out.pressure += value("pressure_cpu_seconds");
      out.memory_pressure += value("pressure_memory_seconds");
      out.steal += value("steal_seconds");
      out.periods += value("cgroup_throttled_periods");
    }
  return out;
}

/// A value that was as high before is no news.
bool is_news(double percent, double earlier) {
  constexpr double clearly = 1.5;
  constexpr double noise_percent = 5;
  return percent > earlier * clearly + noise_percent;
}

}  // namespace

double processors(const result::Run& run) {
  const auto text = run.fingerprint.device.find("host.cpus");
  return text == run.fingerprint.device.end() ? 0 : result::number_in<double>(text->second).value_or(0);
}

void add_host_load(const Runs& runs, const Runs* before, diagnose::Observation& out) {
  const Host now = host_of(runs);
  if (now.wall <= 0) return;
  const Host then = before != nullptr ? host_of(*before) : Host{};
  const double cpus = std::max(1.0, processors(runs.front()));
  // Without a baseline there is nothing to compare with.
  const auto add = [&](const char* key, double Host::*counter, double scale) {
    const double percent = now.*counter / now.wall * scale;
    const double earlier = then.wall > 0 ? then.*counter / then.wall * scale : 0;
    // The counters are read slightly after the time, so a share may seem to exceed 100 %.
    if (is_news(percent, earlier)) out.telemetry[key] = std::min(percent, 100.0);
  };
  add("cpu_load_percent", &Host::other, 100 / cpus);
  add("cpu_pressure_percent", &Host::pressure, 100);
  add("memory_pressure_percent", &Host::memory_pressure, 100);
  constexpr double steal_noise = 1;
  constexpr double clearly = 1.5;
  const double stolen = then.wall > 0 ? then.steal / then.wall * 100 : 0;
  if (const double steal = now.steal / now.wall * 100; steal > stolen * clearly + steal_noise)
    out.telemetry["cpu_steal_percent"] = steal;
  // Compared per second, because rounds differ in length.
  const double earlier = then.wall > 0 ? then.periods / then.wall : 0;
  constexpr double rarely = .05;
  out.telemetry["cpu_throttled_periods"] = now.periods / now.wall > 2 * earlier + rarely ? now.periods : 0.0;
}

void add_processor_pace(const std::vector<judge::Verdict>& verdicts, const Runs& runs, const Runs& before,
                        diagnose::Observation& out) {
  const std::optional<judge::Pace> pace = judge::slower_processor(before, runs, verdicts);
  if (!pace) return;
  constexpr double nanoseconds = 1e9;
  out.telemetry["clock_reading_ns"] = pace->now * nanoseconds;
  out.telemetry["clock_reading_expected_ns"] = pace->before * nanoseconds;
}

void add_processor_clock(const Runs& runs, const Runs* before, diagnose::Observation& out) {
  constexpr double mega = 1e6;
  constexpr double percent = 100;
  const auto clock = [](const Runs& side) {
    return value_under_load(samples_of(side, "host", "cpu_clock_hz"));
  };
  const auto busy = [](const Runs& side) {
    return value_under_load(samples_of(side, "host", "cpu_busy")).value_or(0);
  };
  const auto now = clock(runs);
  if (!now) return;
  out.telemetry["cpu_clock_mhz"] = *now / mega;
  const auto then = before == nullptr ? std::nullopt : clock(*before);
  if (then && !is_news(percent * busy(*before), percent * busy(runs)))
    out.telemetry["cpu_clock_expected_mhz"] = *then / mega;
}

bool was_as_contended(const baseline::Baseline& before, const Runs& rounds) {
  const Host then = host_of(before.runs), now = host_of(rounds);
  if (then.wall <= 0 || now.wall <= 0 || rounds.empty()) return false;
  constexpr double matters_percent = 10;
  bool mattered = false;
  const double of_all = 100 / std::max(1.0, processors(rounds.front()));
  for (const auto& [counter, scale] :
       {std::pair(&Host::other, of_all), std::pair(&Host::pressure, 100.0), std::pair(&Host::steal, 100.0)}) {
    const double earlier = then.*counter / then.wall * scale;
    if (is_news(now.*counter / now.wall * scale, earlier)) return false;
    mattered = mattered || earlier >= matters_percent;
  }
  return mattered;
}

}  // namespace gpugauge::conductor
