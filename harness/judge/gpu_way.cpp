#include "judge/gpu_way.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "judge/device_limits.hpp"
#include "result/facts.hpp"
#include "result/gpu_series.hpp"
#include "result/number.hpp"

namespace gpugauge::judge {

double lowest_seen(const result::Run& run, std::string_view uuid, std::string_view series) {
  const std::vector<double> values = result::values_of_gpu(run, uuid, series);
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double highest_seen(const result::Run& run, std::string_view uuid, std::string_view series) {
  const std::vector<double> values = result::values_of_gpu(run, uuid, series);
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

namespace {

std::optional<Way> way_of(const result::Run& run, std::string_view uuid) {
  Way way;
  way.nvlinks = static_cast<int>(lowest_seen(run, uuid, "nvlinks_active"));
  if (way.nvlinks > 0) {
    way.switched = lowest_seen(run, uuid, "nvlinks_to_switch") >= way.nvlinks;
    const double rate = lowest_seen(run, uuid, "nvlink_bytes_per_second");
    if (rate > 0)
      way.limit = result::Limit{rate,
                                fmt::format("{} NVLinks{}, {:.0f} GB/s in one direction as NVML says",
                                            way.nvlinks, way.switched ? " to NVSwitches" : "", rate / 1e9),
                                false, std::nullopt};
    return way;
  }
  way.limit =
      link_limit(highest_seen(run, uuid, "pcie_generation"), highest_seen(run, uuid, "pcie_width"), 1);
  return way.limit ? std::optional(way) : std::nullopt;
}

}  // namespace

std::optional<NamedPair> pair_named(std::string_view metric) {
  const std::size_t start = metric.find('_');
  if (start == 0 || start == std::string_view::npos) return std::nullopt;
  for (const auto& [word, both_ways] : {std::pair<std::string_view, bool>{"_to_", false}, {"_and_", true}}) {
    const std::size_t middle = metric.find(word, start);
    if (middle == std::string_view::npos) continue;
    const std::string from(metric.substr(start + 1, middle - std::min(middle, start + 1)));
    const std::string to(metric.substr(middle + word.size()));
    if (result::number_in<unsigned>(from) && result::number_in<unsigned>(to))
      return NamedPair{from, to, both_ways};
  }
  return std::nullopt;
}

std::optional<Way> narrowest_way(const result::Run& run, const std::set<std::string>& uuids) {
  std::optional<Way> out;
  for (const std::string& uuid : uuids) {
    const std::optional<Way> way = way_of(run, uuid);
    if (!way) return std::nullopt;
    if (!out) out = way;
    const bool switched = out->switched && way->switched;
    const bool plainer = out->nvlinks > 0 && way->nvlinks == 0;
    const bool alike = (out->nvlinks > 0) == (way->nvlinks > 0);
    const bool unknown = alike && !way->limit;
    if (plainer || unknown || (alike && out->limit && way->limit->value < out->limit->value)) out = way;
    out->switched = switched;
  }
  return out;
}

int nvlinks_of_model(std::string_view name) {
  // Links, and GB/s of all of them in both directions: V100 6 and 300, A100 12 and 600, H100 and H200 18 and 900,
  // B200 18 and 1800 (NVIDIA's white papers of the architectures, and www.nvidia.com/en-us/data-center/nvlink). Cards
  // in slots, NVL models and A800, H800, H20 lead fewer than the chip has, or are not published.
  constexpr std::array<std::pair<std::string_view, int>, 9> published{{{"Tesla V100-SXM2-16GB", 6},
                                                                       {"Tesla V100-SXM2-32GB", 6},
                                                                       {"Tesla V100-SXM3-32GB", 6},
                                                                       {"NVIDIA A100-SXM4-40GB", 12},
                                                                       {"NVIDIA A100-SXM4-80GB", 12},
                                                                       {"NVIDIA H100 80GB HBM3", 18},
                                                                       {"NVIDIA H200", 18},
                                                                       {"NVIDIA B200", 18},
                                                                       {"NVIDIA GB200", 18}}};
  for (const auto& [model, links] : published)
    if (name == model) return links;
  return 0;
}

namespace {

/// "" if the fingerprint does not name the GPU.
std::string model_of(const result::Run& run, const std::string& uuid) {
  for (const auto& [name, value] : run.fingerprint.device)
    if (value == uuid && name.starts_with("gpu.") && name.ends_with(".uuid"))
      return result::fact(run.fingerprint.device, name.substr(0, name.size() - 4) + "name");
  return "";
}

}  // namespace

std::vector<BoardLinks> links_to_switches(const result::Run& run) {
  const std::set<std::string> gpus = result::measured_gpus(run);
  std::set<std::string> models;
  for (const std::string& gpu : gpus)
    if (highest_seen(run, gpu, "nvlinks_to_switch") > 0) models.insert(model_of(run, gpu));
  std::vector<BoardLinks> out;
  for (const std::string& gpu : gpus) {
    if (!models.contains(model_of(run, gpu)) || result::values_of_gpu(run, gpu, "nvlinks_active").empty())
      continue;
    out.push_back({gpu, static_cast<int>(lowest_seen(run, gpu, "nvlinks_active")),
                   static_cast<int>(highest_seen(run, gpu, "nvlinks_down")),
                   nvlinks_of_model(model_of(run, gpu))});
  }
  return out;
}

}  // namespace gpugauge::judge
