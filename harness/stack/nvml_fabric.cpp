// The NVLink fabric as NVML tells of it: whether a GPU has joined it, and how well it is.
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/nvml.hpp"

namespace gpugauge::stack {
namespace {

/// A flag of the fabric's health: two bits, of which 1 says that it holds (NVML_GPU_FABRIC_HEALTH_MASK_*).
struct FabricFlag {
  unsigned shift;
  std::string_view word;
};
constexpr std::array fabric_flags{FabricFlag{0, "degraded_bandwidth"}, FabricFlag{2, "route_recovery"},
                                  FabricFlag{4, "route_unhealthy"}, FabricFlag{6, "access_timeout_recovery"}};
/// From bit 8 on: 0 not supported, 1 none (NVML_GPU_FABRIC_HEALTH_MASK_INCORRECT_CONFIGURATION_*).
constexpr std::array<std::string_view, 8> fabric_misconfigurations{"",
                                                                   "",
                                                                   "wrong_system_guid",
                                                                   "wrong_chassis_serial",
                                                                   "no_partition",
                                                                   "too_few_nvlinks",
                                                                   "incompatible_firmware",
                                                                   "invalid_location"};

/// "healthy", or what is wrong: "degraded_bandwidth,route_recovery"; "" if NVML judges nothing of it.
std::string fabric_health_words(unsigned mask) {
  if (mask == 0) return "";
  std::vector<std::string> found;
  for (const FabricFlag& flag : fabric_flags)
    if ((mask >> flag.shift & 3U) == 1U) found.emplace_back(flag.word);
  const unsigned configuration = mask >> 8U & 15U;
  if (configuration >= fabric_misconfigurations.size())
    found.push_back(fmt::format("misconfiguration_{}", configuration));
  else if (configuration > 1)
    found.emplace_back(fabric_misconfigurations.at(configuration));
  return found.empty() ? "healthy" : fmt::format("{}", fmt::join(found, ","));
}

std::string fabric_word(unsigned char state, int status) {
  constexpr std::array<std::string_view, 4> words{"not_supported", "not_started", "in_progress", "completed"};
  if (state == nvml::fabric_completed && status != nvml::success) return "failed";
  return state < words.size() ? std::string(words[state]) : fmt::format("number {}", state);
}

}  // namespace

std::vector<NvmlFact> ask_nvml_fabric(const SharedObject& library, nvml::Device device) {
  nvml::Fabric fabric;
  int code = call_nvml(library, nvml::fabric, device, &fabric);
  if (code == nvml::function_not_found || code == nvml::version_mismatch) {  // a driver before CUDA 12.4
    nvml::FabricV1 old{};
    code = call_nvml(library, nvml::fabric_v1, device, &old);
    return {{"fabric_state", nvml::fabric_v1.name, code,
             code == nvml::success ? fabric_word(old.state, old.status) : ""}};
  }
  const char* const call = nvml::fabric.name;
  if (code != nvml::success) return {{"fabric_state", call, code, ""}, {"fabric_health", call, code, ""}};
  const std::string health = fabric.state == nvml::fabric_completed ? fabric_health_words(fabric.health) : "";
  return {{"fabric_state", call, code, fabric_word(fabric.state, fabric.status)},
          {"fabric_health", call, health.empty() ? nvml::not_supported : code, health}};
}

}  // namespace gpugauge::stack
