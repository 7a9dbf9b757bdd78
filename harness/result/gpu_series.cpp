#include "result/gpu_series.hpp"

#include "result/device_kind.hpp"

namespace gpugauge::result {
namespace {

constexpr std::string_view gpu_source = "gpu:";

/// The GPUs in the telemetry.
std::set<std::string> seen_by(const Run& run) {
  std::set<std::string> out;
  for (const Series& series : run.telemetry)
    if (series.source.starts_with(gpu_source)) out.insert(series.source.substr(gpu_source.size()));
  return out;
}

/// The cards in the run's fingerprint, by bus address.
std::set<std::string> cards_of(const Run& run) {
  std::set<std::string> out;
  for (const auto& [fact, value] : run.fingerprint.topology)
    if (fact.starts_with("gpu.") && fact.ends_with(".pci")) out.insert(value);
  return out;
}

}  // namespace

const Series* gpu_series(const Run& run, std::string_view name) {
  const Series* only = nullptr;
  bool several = false;
  for (const Series& series : run.telemetry) {
    if (series.name != name || !series.source.starts_with(gpu_source)) continue;
    const std::string_view uuid = std::string_view(series.source).substr(gpu_source.size());
    if (uuid == run.device) return &series;
    several = several || only != nullptr;
    only = &series;
  }
  return several || device_kind(run.device) == DeviceKind::host ? nullptr : only;
}

std::vector<double> values_of_gpu(const Run& run, std::string_view uuid, std::string_view name) {
  std::vector<double> out;
  for (const Series& series : run.telemetry)
    if (series.name == name && series.source.starts_with(gpu_source) &&
        std::string_view(series.source).substr(gpu_source.size()) == uuid)
      out.insert(out.end(), series.values.begin(), series.values.end());
  return out;
}

std::set<std::string> measured_gpus(const Run& run) {
  const std::set<std::string> seen = seen_by(run);
  std::set<std::string> out;
  if (device_kind(run.device) == DeviceKind::links) {
    for (const auto& [fact, value] : run.fingerprint.device)
      if (fact.starts_with("gpu.") && fact.ends_with(".uuid") && seen.contains(value)) out.insert(value);
    return out.empty() ? seen : out;
  }
  if (seen.contains(run.device)) return {run.device};
  const bool one = seen.size() == 1 && cards_of(run).size() < 2;
  return run.device.starts_with("MIG-") && one ? seen : out;
}

std::vector<std::string> lost_gpus(const Run& run) {
  std::set<std::string> out;
  for (const Series& series : run.telemetry)
    if (series.name == lost_series && series.source.starts_with(gpu_source) && !series.values.empty())
      out.insert(series.source.substr(gpu_source.size()));
  return {out.begin(), out.end()};
}

}  // namespace gpugauge::result
