#include "conductor/gpu_memory.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "result/gpu_health.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::conductor {
namespace {

/// The highest of the GPUs' newest values, whatever the order of the rounds; nullopt where no GPU reports one.
std::optional<double> newest(const std::vector<result::Run>& rounds, std::string_view series) {
  struct Seen {
    std::pair<std::string_view, int> when;
    double value = 0;
  };
  std::map<std::string, Seen> of_gpu;
  for (const result::Run& run : rounds)
    for (const std::string& uuid : result::measured_gpus(run))
      if (const auto values = result::values_of_gpu(run, uuid, series); !values.empty())
        if (const std::pair when{std::string_view(run.started), run.round}; when >= of_gpu[uuid].when)
          of_gpu[uuid] = {when, values.back()};
  if (of_gpu.empty()) return std::nullopt;
  double highest = 0;
  for (const auto& [uuid, seen] : of_gpu) highest = std::max(highest, seen.value);
  return highest;
}

}  // namespace

void add_gpu_memory(const std::vector<result::Run>& rounds, diagnose::Observation& out) {
  if (const auto value = newest(rounds, result::remap_failed.fact))
    out.inventory["gpu.remap_failed"] = *value > 0;
  if (const auto value = newest(rounds, result::remap_pending.fact))
    out.inventory["gpu.remap_pending"] = *value > 0;
  if (const auto value = newest(rounds, result::ecc_uncorrected.fact))
    out.inventory["gpu.ecc_uncorrected"] = *value;
}

}  // namespace gpugauge::conductor
