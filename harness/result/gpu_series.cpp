#include "result/gpu_series.hpp"

#include <set>
#include <string>

namespace gpugauge::result {
namespace {

constexpr std::string_view gpu_source = "gpu:";

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
  return several || device_kind(run.device) == "host" ? nullptr : only;
}

std::vector<std::string> lost_gpus(const Run& run) {
  std::set<std::string> out;
  for (const Series& series : run.telemetry)
    if (series.name == lost_series && series.source.starts_with(gpu_source) && !series.values.empty())
      out.insert(series.source.substr(gpu_source.size()));
  return {out.begin(), out.end()};
}

}  // namespace gpugauge::result
