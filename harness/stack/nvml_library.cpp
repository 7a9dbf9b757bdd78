#include <fmt/format.h>

#include "result/number.hpp"
#include "stack/driver_library.hpp"
#include "stack/nvml.hpp"

namespace gpugauge::stack {
namespace {

std::string value_of(const std::vector<NvmlFact>& facts, const std::string& name) {
  for (const NvmlFact& fact : facts) {
    if (fact.fact == name) return fact.value;
  }
  return "";
}

/// Adds a switch with its current value; also names a different pending one.
void add_mode(const std::vector<NvmlFact>& facts, const std::string& name, Gpu& gpu) {
  const std::string now = value_of(facts, name);
  const std::string pending = value_of(facts, name + "_pending");
  if (now.empty()) return;
  gpu.settings[name] = now == pending ? now : fmt::format("{} ({} after reset)", now, pending);
}

void add_settings(const Nvml& nvml, nvml::Device device, Gpu& gpu) {
  const auto add = [&](const char* setting, const char* fact) {
    const NvmlFact answer = ask_nvml_fact(nvml.library(), device, fact);
    if (answer.code == 0) gpu.settings[setting] = answer.value;
  };
  // Locked clocks (nvidia-smi -lgc) are not among them: NVML tells them to nobody.
  for (const char* const name : {"sm_clock_application_mhz", "sm_clock_application_default_mhz",
                                 "memory_clock_application_mhz", "memory_clock_application_default_mhz"})
    add(name, name);
  for (const char* const name : {"persistence", "power_limit_watt", "power_limit_default_watt", "vbios"})
    add(name, name);
  add("compute_mode", "compute_mode_number");
  const auto modes = ask_nvml_modes(nvml.library(), device);
  add_mode(modes, "ecc", gpu);
  add_mode(modes, "mig", gpu);
  if (const NvmlFact mode = nvml.confidential_computing(); mode.code == 0)
    gpu.settings["confidential_computing"] = mode.value;
  if (ask_vgpu_guest(nvml.library(), device).value != "yes") return;
  if (const NvmlFact licence = ask_vgpu_licence(nvml.library(), device); licence.code == 0)
    gpu.settings["vgpu_licence"] = licence.value;
}

void add_told(const Nvml& nvml, nvml::Device device, Gpu& gpu) {
  for (const char* const name : {"brand", "gsp"})
    if (const NvmlFact fact = ask_nvml_fact(nvml.library(), device, name); fact.code == 0)
      gpu.told[name] = fact.value;
  for (const NvmlFact& fact : ask_nvml_structures(nvml.library(), device))
    for (const char* const name :
         {"fabric_state", "fabric_health", "remapped_correctable", "remapped_uncorrectable"})
      if (fact.fact == name && fact.code == 0) gpu.told[name] = fact.value;
}

}  // namespace

NvmlAnswer ask_nvml(std::vector<Gpu>& gpus, const std::string& soname) {
  NvmlAnswer answer;
  const Nvml nvml(soname);
  answer.library = nvml.library().opened();
  if (!answer.library.opened) return answer;
  answer.code = nvml.code();
  if (answer.code != 0) return answer;
  answer.driver_version = nvml.driver_version();
  const NvmlFact count = nvml.device_count();
  if (count.code == 0) answer.devices = result::number_in<int>(count.value).value_or(0);
  for (Gpu& gpu : gpus) {
    int code = 0;
    const nvml::Device device = nvml.by_uuid(gpu.uuid, code);
    if (device == nullptr) continue;
    add_settings(nvml, device, gpu);
    add_told(nvml, device, gpu);
  }
  return answer;
}

}  // namespace gpugauge::stack
