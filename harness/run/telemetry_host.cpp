#include "run/telemetry_host.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpugauge::run {
namespace {

std::optional<double> since(const std::optional<double>& first, const std::optional<double>& now) {
  if (!first || !now) return std::nullopt;
  return std::max(0.0, *now - *first);
}

}  // namespace

HostTelemetry::HostTelemetry(HostReader reader)
    : reader_(std::move(reader)), first_(reader_.counters()), last_(first_) {}

void HostTelemetry::sample(double seconds) {
  now_ = seconds;
  add("load1", "1", reader_.load1());
  add("cpu_clock_hz", "hertz", reader_.cpu_clock_hz());
  add("memory_available_bytes", "byte", reader_.memory_available_bytes());
  const auto counters = reader_.counters();
  const double processors = counters.total_seconds.value_or(0) - last_.total_seconds.value_or(0);
  add_share("cpu_busy", last_.busy_seconds, counters.busy_seconds, processors);
  add_share("cpu_iowait", last_.iowait_seconds, counters.iowait_seconds, processors);
  add_share("cpu_steal", last_.steal_seconds, counters.steal_seconds, processors);
  add_share("pressure_cpu", last_.pressure_cpu_seconds, counters.pressure_cpu_seconds,
            seconds - last_seconds_);
  add_share("pressure_memory", last_.pressure_memory_seconds, counters.pressure_memory_seconds,
            seconds - last_seconds_);
  add("cpu_throttled_periods", "1", since(first_.throttled_periods, counters.throttled_periods));
  add("cpu_throttled_seconds", "second", since(first_.throttled_seconds, counters.throttled_seconds));
  add("numa_misses", "1", since(first_.numa_misses, counters.numa_misses));
  last_ = counters;
  last_seconds_ = seconds;
}

void HostTelemetry::add(const char* name, const char* unit, std::optional<double> value) {
  if (!value) return;
  auto found =
      std::find_if(series_.begin(), series_.end(), [&](const auto& one) { return one.name == name; });
  if (found == series_.end()) found = series_.insert(found, {"host", name, unit, {}, {}});
  found->seconds.push_back(now_);
  found->values.push_back(*value);
}

void HostTelemetry::add_share(const char* name, std::optional<double> before, std::optional<double> after,
                              double whole) {
  // Two samples within one tick of the kernel's clock give no share.
  if (!before || !after || whole < .02) return;
  add(name, "1", std::clamp((*after - *before) / whole, 0.0, 1.0));
}

std::vector<result::Series> HostTelemetry::series() const {
  return series_;
}

}  // namespace gpugauge::run
