#include "judge/lost_gpu.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/physical_verdict.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::judge {
namespace {

std::vector<std::string> own_lost(const result::Run& run) {
  const std::set<std::string> own = result::measured_gpus(run);
  std::vector<std::string> out = result::lost_gpus(run);
  std::erase_if(out, [&](const std::string& uuid) { return !own.contains(uuid); });
  return out;
}

constexpr std::string_view advice =
    "NVML answers that the GPU is lost; look for its Xid in dmesg, and restart the machine or replace the "
    "card";

}  // namespace

std::vector<Verdict> judge_lost_gpus(const result::Run& run) {
  const std::vector<std::string> own = own_lost(run);
  if (own.empty()) return {};
  return {physical_verdict("gpu/lost", VerdictKind::failed,
                           fmt::format("{} {} lost while this was measured: {}", fmt::join(own, ", "),
                                       own.size() == 1 ? "was" : "were", advice))};
}

std::vector<Verdict> judge_lost_between(const std::vector<ChecksumSide>& devices) {
  std::set<std::string> own;
  std::map<std::string, std::string> seen_with;  // UUID -> label of the device measured at the time
  for (const ChecksumSide& device : devices)
    for (const result::Run& run : device.rounds) {
      for (std::string& uuid : own_lost(run)) own.insert(std::move(uuid));
      for (std::string& uuid : result::lost_gpus(run)) seen_with.try_emplace(std::move(uuid), device.label);
    }
  std::vector<Verdict> out;
  for (const auto& [uuid, label] : seen_with)
    if (!own.contains(uuid))
      out.push_back(
          physical_verdict(fmt::format("gpu/lost/{}", uuid), VerdictKind::failed,
                           fmt::format("{} was lost while {} was measured: {}", uuid, label, advice)));
  return out;
}

}  // namespace gpugauge::judge
