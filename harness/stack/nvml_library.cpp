#include <array>

#include <fmt/format.h>

#include "stack/driver_library.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

// The documented ABI of NVML: results and switches are int, a device is an opaque pointer.
using Device = struct nvmlDevice_st*;
using GetNumber = int(Device, unsigned*);
using GetPair = int(Device, unsigned*, unsigned*);

constexpr int function_not_found = 13;

void add_number(const SharedObject& library, Device device, const char* call, const char* fact, Gpu& gpu) {
  auto* const get = library.find<GetNumber>(call);
  unsigned value = 0;
  if (get != nullptr && get(device, &value) == 0) gpu.settings[fact] = std::to_string(value);
}

void add_watt(const SharedObject& library, Device device, const char* call, const char* fact, Gpu& gpu) {
  auto* const get = library.find<GetNumber>(call);
  unsigned milliwatt = 0;
  if (get != nullptr && get(device, &milliwatt) == 0)
    gpu.settings[fact] = fmt::format("{}", milliwatt / 1000.0);
}

void add_switch(const SharedObject& library, Device device, const char* call, const char* fact, Gpu& gpu) {
  auto* const get = library.find<GetNumber>(call);
  unsigned value = 0;
  if (get != nullptr && get(device, &value) == 0) gpu.settings[fact] = value == 0 ? "off" : "on";
}

/// A switch with a current and a pending value; what waits for a reset is named.
void add_mode(const SharedObject& library, Device device, const char* call, const char* fact, Gpu& gpu) {
  auto* const get = library.find<GetPair>(call);
  unsigned now = 0;
  unsigned pending = 0;
  if (get == nullptr || get(device, &now, &pending) != 0) return;
  const auto word = [](unsigned value) { return value == 0 ? "off" : "on"; };
  gpu.settings[fact] =
      now == pending ? word(now) : fmt::format("{} ({} after reset)", word(now), word(pending));
}

void add_settings(const SharedObject& library, Gpu& gpu) {
  auto* const by_uuid = library.find<int(const char*, Device*)>("nvmlDeviceGetHandleByUUID");
  Device device = nullptr;
  if (by_uuid == nullptr || by_uuid(gpu.uuid.c_str(), &device) != 0) return;
  add_switch(library, device, "nvmlDeviceGetPersistenceMode", "persistence", gpu);
  add_mode(library, device, "nvmlDeviceGetEccMode", "ecc", gpu);
  add_mode(library, device, "nvmlDeviceGetMigMode", "mig", gpu);
  add_number(library, device, "nvmlDeviceGetComputeMode", "compute_mode", gpu);
  add_watt(library, device, "nvmlDeviceGetPowerManagementLimit", "power_limit_watt", gpu);
  add_watt(library, device, "nvmlDeviceGetPowerManagementDefaultLimit", "power_limit_default_watt", gpu);
  auto* const vbios = library.find<int(Device, char*, unsigned)>("nvmlDeviceGetVbiosVersion");
  std::array<char, 64> buffer{};
  if (vbios != nullptr && vbios(device, buffer.data(), buffer.size() - 1) == 0)
    gpu.settings["vbios"] = buffer.data();
}

}  // namespace

NvmlAnswer ask_nvml(std::vector<Gpu>& gpus, const std::string& soname) {
  NvmlAnswer answer;
  const SharedObject library(soname);
  answer.library = library.opened();
  if (!answer.library.opened) return answer;
  auto* const init = library.find<int()>("nvmlInit_v2");
  answer.code = init == nullptr ? function_not_found : init();
  if (answer.code != 0) return answer;
  std::array<char, 96> version{};
  auto* const driver_version = library.find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  if (driver_version != nullptr && driver_version(version.data(), version.size() - 1) == 0) {
    answer.driver_version = version.data();
  }
  unsigned count = 0;
  auto* const device_count = library.find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  if (device_count != nullptr && device_count(&count) == 0) answer.devices = static_cast<int>(count);
  for (Gpu& gpu : gpus) add_settings(library, gpu);
  auto* const shutdown = library.find<int()>("nvmlShutdown");
  if (shutdown != nullptr) shutdown();
  return answer;
}

}  // namespace gpugauge::stack
