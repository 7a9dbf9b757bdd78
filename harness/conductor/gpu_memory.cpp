#include "conductor/gpu_memory.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "result/gpu_health.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::conductor {
namespace {

/// The highest of the GPUs' newest values; nullopt where no GPU reports one.
std::optional<double> newest(const std::vector<result::Run>& rounds, std::string_view series) {
  std::map<std::string, double> of_gpu;
  for (const result::Run& run : rounds)
    for (const std::string& uuid : result::measured_gpus(run))
      if (const auto values = result::values_of_gpu(run, uuid, series); !values.empty())
        of_gpu[uuid] = values.back();
  if (of_gpu.empty()) return std::nullopt;
  double highest = 0;
  for (const auto& [uuid, value] : of_gpu) highest = std::max(highest, value);
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
