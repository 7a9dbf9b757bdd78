// A libnvidia-ml.so.1 for tests. Keys: nvml_result (18: version mismatch), nvml_driver, nvml_devices,
// persistence, ecc, ecc_pending, mig, mig_pending, compute_mode, power_limit_mw, power_limit_default_mw,
// vbios; what telemetry reads: sm_clock_mhz, memory_clock_mhz, power_mw, temperature, utilization,
// throttle_reasons, performance_state, pcie_generation, pcie_width, memory_used_mib. A switch that is not in
// the scenario answers "not supported", as on cards without it.
#include <string>

#include "scenario.hpp"

namespace {

constexpr int not_supported = 3;

int answer(const std::string& key, unsigned* value) {
  const int found = fake::number(key, -1);
  if (found < 0) return not_supported;
  *value = static_cast<unsigned>(found);
  return 0;
}

int answer_pair(const std::string& key, unsigned* now, unsigned* pending) {
  if (answer(key, now) != 0) return not_supported;
  *pending = static_cast<unsigned>(fake::number(key + "_pending", static_cast<int>(*now)));
  return 0;
}

}  // namespace

extern "C" {

using Device = void*;

int nvmlInit_v2() {
  fake::misbehave("nvmlInit");
  return fake::number("nvml_result", 0);
}

int nvmlShutdown() {
  return 0;
}

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  fake::copy(fake::text("nvml_driver", "580.65.06"), version, size);
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(fake::number("nvml_devices", fake::number("devices", 1)));
  return 0;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  static int handle = 0;
  *device = &handle;
  return std::string(uuid).rfind("GPU-", 0) == 0 ? 0 : 6;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  static int handles[16];
  if (index >= 16) return 2;
  *device = &handles[index];
  return fake::number("handle_result", 0);
}

const char* nvmlErrorString(int) {
  return "a sentence of the fake NVML";
}

int nvmlDeviceGetUUID(Device, char* uuid, unsigned size) {
  fake::copy(fake::text("nvml_uuid", "GPU-00000000-0000-0000-0000-000000000000"), uuid, size);
  return 0;
}

int nvmlDeviceGetClockInfo(Device, int clock, unsigned* megahertz) {
  return answer(clock == 1 ? "sm_clock_mhz" : clock == 2 ? "memory_clock_mhz" : "other_clock_mhz", megahertz);
}
int nvmlDeviceGetPowerUsage(Device, unsigned* milliwatts) {
  fake::misbehave("nvmlDeviceGetPowerUsage");
  return answer("power_mw", milliwatts);
}
int nvmlDeviceGetTemperature(Device, int sensor, unsigned* celsius) {
  return sensor == 0 ? answer("temperature", celsius) : not_supported;
}
int nvmlDeviceGetPerformanceState(Device, unsigned* state) {
  return answer("performance_state", state);
}
int nvmlDeviceGetCurrPcieLinkGeneration(Device, unsigned* generation) {
  return answer("pcie_generation", generation);
}
int nvmlDeviceGetCurrPcieLinkWidth(Device, unsigned* width) {
  return answer("pcie_width", width);
}

int nvmlDeviceGetUtilizationRates(Device, unsigned rates[2]) {
  rates[1] = 0;
  return answer("utilization", &rates[0]);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(Device, unsigned long long* reasons) {
  unsigned low = 0;
  const int result = answer("throttle_reasons", &low);
  *reasons = low;
  return result;
}

int nvmlDeviceGetMemoryInfo(Device, unsigned long long memory[3]) {
  unsigned used = 0;
  const int result = answer("memory_used_mib", &used);
  memory[2] = static_cast<unsigned long long>(used) << 20U;
  return result;
}

int nvmlDeviceGetPersistenceMode(Device, unsigned* mode) {
  return answer("persistence", mode);
}
int nvmlDeviceGetEccMode(Device, unsigned* now, unsigned* pending) {
  return answer_pair("ecc", now, pending);
}
int nvmlDeviceGetMigMode(Device, unsigned* now, unsigned* pending) {
  return answer_pair("mig", now, pending);
}
int nvmlDeviceGetComputeMode(Device, unsigned* mode) {
  return answer("compute_mode", mode);
}
int nvmlDeviceGetPowerManagementLimit(Device, unsigned* limit) {
  return answer("power_limit_mw", limit);
}
int nvmlDeviceGetPowerManagementDefaultLimit(Device, unsigned* limit) {
  return answer("power_limit_default_mw", limit);
}

int nvmlDeviceGetVbiosVersion(Device, char* version, unsigned size) {
  const std::string found = fake::text("vbios", "");
  if (found.empty()) return not_supported;
  fake::copy(found, version, size);
  return 0;
}

}  // extern "C"
