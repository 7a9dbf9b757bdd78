// A libnvidia-ml.so.1 for tests; its keys are in scenario.hpp.
#include "fake_nvml.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace fake::nvml;

/// A number of the scenario; "not supported" where it holds none.
template <typename Number>
int answer(Device device, const std::string& call, const std::string& key, Number* value) {
  if (const int code = refusal(device, call); code != 0) return code;
  const std::string found = fake::text_of(index_of(device), key, "");
  if (found.empty()) return not_supported;
  *value = static_cast<Number>(std::strtoull(found.c_str(), nullptr, 0));
  return 0;
}

int answer_text(Device device, const std::string& call, const std::string& found, char* text, unsigned size) {
  if (const int code = refusal(device, call); code != 0) return code;
  if (found.empty()) return not_supported;
  fake::copy(found, text, size);
  return 0;
}

int answer_key(Device device, const std::string& call, const std::string& key, char* text, unsigned size) {
  return answer_text(device, call, fake::text_of(index_of(device), key, ""), text, size);
}

int answer_pair(Device device, const std::string& call, const std::string& first, const std::string& second,
                unsigned* now, unsigned* then) {
  const int code = answer(device, call, first, now);
  if (code == 0 && answer(device, call, second, then) != 0) *then = *now;
  return code;
}

std::string clock_key(int clock, const std::string& rest) {
  return (clock == 1 ? "sm_clock" : clock == 2 ? "memory_clock" : "other_clock") + rest;
}

/// nvmlFieldValue_t; every whole number that its union may hold begins where this one does.
struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency;
  unsigned type;
  int code;
  long long value;
};

struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

/// Words "pid:name:mib".
struct ProcessWord {
  unsigned pid;
  std::string name;
  unsigned long long mib;
};
std::vector<ProcessWord> processes_of(int gpu) {
  std::vector<ProcessWord> found;
  std::istringstream words(fake::text_of(gpu, "processes", ""));
  for (std::string word; words >> word;) {
    const auto first = word.find(':');
    const auto second = word.rfind(':');
    found.push_back({static_cast<unsigned>(std::strtoul(word.c_str(), nullptr, 10)),
                     word.substr(first + 1, second - first - 1),
                     std::strtoull(word.c_str() + second + 1, nullptr, 10)});
  }
  return found;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  fake::misbehave("nvmlInit");
  return fake::number("nvml_result", 0);
}
int nvmlShutdown() {
  fake::misbehave("nvmlShutdown");
  return 0;
}

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  fake::copy(fake::text("nvml_driver", "580.65.06"), version, size);
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(devices());
  return 0;
}
int nvmlSystemGetConfComputeState(unsigned state[3]) {
  const int feature = fake::number("cc_feature", -1);
  if (feature < 0) return not_supported;
  state[0] = 2;
  state[1] = static_cast<unsigned>(feature);
  state[2] = static_cast<unsigned>(fake::number("cc_devtools", 0));
  return 0;
}
int nvmlSystemGetProcessName(unsigned pid, char* name, unsigned size) {
  for (int gpu = 0; gpu < std::min(devices(), gpus_most); ++gpu) {
    for (const ProcessWord& process : processes_of(gpu)) {
      if (process.pid != pid) continue;
      fake::copy("/usr/bin/" + process.name, name, size);
      return 0;
    }
  }
  return not_found;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  for (int gpu = 0; gpu < std::min(devices(), gpus_most); ++gpu) {
    if (uuid_of(gpu) == uuid) return *device = &handles[static_cast<std::size_t>(gpu)], 0;
  }
  return not_found;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (index >= gpus_most || static_cast<int>(index) >= devices()) return invalid_argument;
  *device = &handles[index];
  return fake::number_of(static_cast<int>(index), "lost", 0) == 1 ? gpu_is_lost
                                                                  : fake::number("handle_result", 0);
}
const char* nvmlErrorString(int) {
  return "a sentence of the fake NVML";
}

int nvmlDeviceGetUUID(Device device, char* uuid, unsigned size) {
  return answer_text(device, "nvmlDeviceGetUUID", uuid_of(index_of(device)), uuid, size);
}
int nvmlDeviceGetName(Device device, char* name, unsigned size) {
  fake::misbehave("nvmlDeviceGetName");
  return answer_text(device, "nvmlDeviceGetName", fake::name_of(index_of(device)), name, size);
}
int nvmlDeviceGetVbiosVersion(Device device, char* version, unsigned size) {
  return answer_key(device, "nvmlDeviceGetVbiosVersion", "vbios", version, size);
}
int nvmlDeviceGetSerial(Device device, char* serial, unsigned size) {
  return answer_key(device, "nvmlDeviceGetSerial", "serial", serial, size);
}
int nvmlDeviceGetBoardPartNumber(Device device, char* part, unsigned size) {
  return answer_key(device, "nvmlDeviceGetBoardPartNumber", "board_part", part, size);
}
int nvmlDeviceGetGspFirmwareVersion(Device device, char* version) {
  return answer_key(device, "nvmlDeviceGetGspFirmwareVersion", "gsp", version, 64);
}

int nvmlDeviceGetBrand(Device device, unsigned* brand) {
  return answer(device, "nvmlDeviceGetBrand", "brand", brand);
}
int nvmlDeviceGetArchitecture(Device device, unsigned* architecture) {
  return answer(device, "nvmlDeviceGetArchitecture", "architecture", architecture);
}
int nvmlDeviceGetComputeMode(Device device, unsigned* mode) {
  return answer(device, "nvmlDeviceGetComputeMode", "compute_mode", mode);
}
int nvmlDeviceGetPersistenceMode(Device device, unsigned* mode) {
  return answer(device, "nvmlDeviceGetPersistenceMode", "persistence", mode);
}
int nvmlDeviceGetRetiredPagesPendingStatus(Device device, unsigned* pending) {
  return answer(device, "nvmlDeviceGetRetiredPagesPendingStatus", "retired_pages_pending", pending);
}
int nvmlDeviceGetPerformanceState(Device device, unsigned* state) {
  return answer(device, "nvmlDeviceGetPerformanceState", "performance_state", state);
}
int nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* generation) {
  return answer(device, "nvmlDeviceGetCurrPcieLinkGeneration", "pcie_generation", generation);
}
int nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* generation) {
  return answer(device, "nvmlDeviceGetMaxPcieLinkGeneration", "pcie_generation_max", generation);
}
int nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* width) {
  return answer(device, "nvmlDeviceGetCurrPcieLinkWidth", "pcie_width", width);
}
int nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* width) {
  return answer(device, "nvmlDeviceGetMaxPcieLinkWidth", "pcie_width_max", width);
}
int nvmlDeviceGetVirtualizationMode(Device device, unsigned* mode) {
  return answer(device, "nvmlDeviceGetVirtualizationMode", "virtualization", mode);
}

int nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  fake::misbehave("nvmlDeviceGetPowerUsage");
  return answer(device, "nvmlDeviceGetPowerUsage", "power_mw", milliwatts);
}
int nvmlDeviceGetPowerManagementLimit(Device device, unsigned* limit) {
  return answer(device, "nvmlDeviceGetPowerManagementLimit", "power_limit_mw", limit);
}
int nvmlDeviceGetPowerManagementDefaultLimit(Device device, unsigned* limit) {
  return answer(device, "nvmlDeviceGetPowerManagementDefaultLimit", "power_limit_default_mw", limit);
}
int nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned* least, unsigned* most) {
  return answer_pair(device, "nvmlDeviceGetPowerManagementLimitConstraints", "power_limit_min_mw",
                     "power_limit_max_mw", least, most);
}
int nvmlDeviceGetEccMode(Device device, unsigned* now, unsigned* pending) {
  return answer_pair(device, "nvmlDeviceGetEccMode", "ecc", "ecc_pending", now, pending);
}
int nvmlDeviceGetMigMode(Device device, unsigned* now, unsigned* pending) {
  return answer_pair(device, "nvmlDeviceGetMigMode", "mig", "mig_pending", now, pending);
}

int nvmlDeviceGetClockInfo(Device device, int clock, unsigned* megahertz) {
  return answer(device, "nvmlDeviceGetClockInfo", clock_key(clock, "_mhz"), megahertz);
}
int nvmlDeviceGetMaxClockInfo(Device device, int clock, unsigned* megahertz) {
  return answer(device, "nvmlDeviceGetMaxClockInfo", clock_key(clock, "_max_mhz"), megahertz);
}
int nvmlDeviceGetApplicationsClock(Device device, int clock, unsigned* megahertz) {
  return answer(device, "nvmlDeviceGetApplicationsClock", clock_key(clock, "_application_mhz"), megahertz);
}
int nvmlDeviceGetDefaultApplicationsClock(Device device, int clock, unsigned* megahertz) {
  return answer(device, "nvmlDeviceGetDefaultApplicationsClock", clock_key(clock, "_application_default_mhz"),
                megahertz);
}
int nvmlDeviceGetTemperature(Device device, int sensor, unsigned* celsius) {
  return sensor == 0 ? answer(device, "nvmlDeviceGetTemperature", "temperature", celsius) : not_supported;
}
int nvmlDeviceGetFieldValues(Device device, int count, FieldValue* values) {
  if (const int code = refusal(device, "nvmlDeviceGetFieldValues"); code != 0) return code;
  for (int i = 0; i < count; ++i) {
    constexpr unsigned memory_temperature = 82;
    constexpr unsigned nvlink_speed = 164;
    const std::string found =
        values[i].field == memory_temperature ? fake::text_of(index_of(device), "memory_temperature", "")
        : values[i].field == nvlink_speed     ? fake::text_of(index_of(device), "nvlink_megabytes", "")
                                              : "";
    values[i].code = found.empty() ? not_supported : 0;
    values[i].type = static_cast<unsigned>(fake::number_of(index_of(device), "memory_temperature_type", 1));
    if (values[i].code == 0) values[i].value = std::strtoll(found.c_str(), nullptr, 0);
  }
  return 0;
}
int nvmlDeviceGetUtilizationRates(Device device, unsigned rates[2]) {
  rates[1] = 0;
  return answer(device, "nvmlDeviceGetUtilizationRates", "utilization", &rates[0]);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* reasons) {
  return answer(device, "nvmlDeviceGetCurrentClocksThrottleReasons", "throttle_reasons", reasons);
}

int nvmlDeviceGetPciInfo_v3(Device device, char* info) {
  constexpr std::size_t bus_id = 36;
  if (const int code = refusal(device, "nvmlDeviceGetPciInfo_v3"); code != 0) return code;
  const std::string address = fake::pci_of(index_of(device));
  fake::copy("0000" + address, info + bus_id, 32);  // NVML writes the domain with eight digits
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  int capability = 0;
  const int code = answer(device, "nvmlDeviceGetCudaComputeCapability", "capability", &capability);
  *major = capability / 10;
  *minor = capability % 10;
  return code;
}
int nvmlDeviceGetMemoryInfo(Device device, unsigned long long memory[3]) {
  unsigned long long used = 0;
  unsigned long long total = 0;
  const bool has_total = answer(device, "nvmlDeviceGetMemoryInfo", "memory_mib", &total) == 0;
  const int code = answer(device, "nvmlDeviceGetMemoryInfo", "memory_used_mib", &used);
  memory[0] = total << 20U;
  memory[2] = used << 20U;
  return has_total ? 0 : code;
}

int nvmlDeviceGetRemappedRows(Device device, unsigned* correctable, unsigned* uncorrectable,
                              unsigned* pending, unsigned* failed) {
  fake::misbehave("nvmlDeviceGetRemappedRows");
  if (const int code = refusal(device, "nvmlDeviceGetRemappedRows"); code != 0) return code;
  std::istringstream words(fake::text_of(index_of(device), "remapped", ""));
  return words >> *correctable >> *uncorrectable >> *pending >> *failed ? 0 : not_supported;
}
int nvmlDeviceGetTotalEccErrors(Device device, int type, int counter, unsigned long long* count) {
  if (type != 1 || counter != 0) return invalid_argument;
  return answer(device, "nvmlDeviceGetTotalEccErrors", "ecc_uncorrected", count);
}
int nvmlDeviceGetNvLinkState(Device device, unsigned link, unsigned* active) {
  unsigned total = 0;
  const int code = answer(device, "nvmlDeviceGetNvLinkState", "nvlinks", &total);
  if (code != 0) return code;
  if (link >= total) return invalid_argument;
  unsigned working = total;
  answer(device, "nvmlDeviceGetNvLinkState", "nvlinks_active", &working);
  *active = link < working ? 1 : 0;
  return 0;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(Device device, unsigned link, unsigned* type) {
  constexpr unsigned nvswitch = 2;
  *type = fake::number_of(index_of(device), "nvlinks_to_gpu", 0) > static_cast<int>(link) ? 0 : nvswitch;
  return refusal(device, "nvmlDeviceGetNvLinkRemoteDeviceType");
}
int nvmlDeviceGetGpuFabricInfo(Device device, unsigned char* info) {
  constexpr std::size_t status_at = 16;
  constexpr std::size_t state_at = 24;
  unsigned state = 0;
  const int code = answer(device, "nvmlDeviceGetGpuFabricInfo", "fabric_state", &state);
  if (code != 0) return code;
  const int status = fake::number_of(index_of(device), "fabric_status", 0);
  std::memcpy(info + status_at, &status, sizeof status);
  info[state_at] = static_cast<unsigned char>(state);
  return 0;
}
int nvmlDeviceGetGpuFabricInfoV(Device device, unsigned char* info) {
  constexpr std::size_t status_at = 20;
  constexpr std::size_t state_at = 28;
  constexpr std::size_t health_at = 32;
  constexpr unsigned version_2 = 36U | 2U << 24U;
  constexpr int version_mismatch = 25;
  unsigned version = 0;
  std::memcpy(&version, info, sizeof version);
  if (version != version_2) return version_mismatch;
  unsigned state = 0;
  const int code = answer(device, "nvmlDeviceGetGpuFabricInfoV", "fabric_state", &state);
  if (code != 0) return code;
  const int status = fake::number_of(index_of(device), "fabric_status", 0);
  const int health = fake::number_of(index_of(device), "fabric_health", 0);
  std::memcpy(info + status_at, &status, sizeof status);
  info[state_at] = static_cast<unsigned char>(state);
  std::memcpy(info + health_at, &health, sizeof health);
  return 0;
}
int nvmlDeviceGetTemperatureV(Device device, int* temperature) {
  constexpr int version_1 = 12 | 1 << 24;
  constexpr int version_mismatch = 25;
  if (temperature[0] != version_1) return version_mismatch;
  return answer(device, "nvmlDeviceGetTemperatureV", "temperature", &temperature[2]);
}
int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, Process* found) {
  if (const int code = refusal(device, "nvmlDeviceGetComputeRunningProcesses_v3"); code != 0) return code;
  const std::vector<ProcessWord> all = processes_of(index_of(device));
  const bool fits = all.size() <= *count;
  *count = static_cast<unsigned>(all.size());
  if (!fits) return insufficient_size;
  for (std::size_t i = 0; i < all.size(); ++i) found[i] = {all[i].pid, all[i].mib << 20U, ~0U, ~0U};
  return 0;
}
int nvmlDeviceGetActiveVgpus(Device device, unsigned* count, unsigned* found) {
  if (const int code = refusal(device, "nvmlDeviceGetActiveVgpus"); code != 0) return code;
  std::istringstream words(fake::text_of(index_of(device), "vgpus", ""));
  unsigned filled = 0;
  for (std::string word; words >> word && filled < *count;)
    found[filled++] = static_cast<unsigned>(std::strtoul(word.c_str(), nullptr, 10));
  *count = filled;
  return filled == 0 ? not_supported : 0;
}
int nvmlVgpuInstanceGetVmDriverVersion(unsigned instance, char* text, unsigned size) {
  for (int gpu = 0; gpu < devices(); ++gpu) {
    std::istringstream words(fake::text_of(gpu, "vgpus", ""));
    for (std::string word; words >> word;) {
      const auto colon = word.find(':');
      if (colon == std::string::npos || std::strtoul(word.c_str(), nullptr, 10) != instance) continue;
      const std::string version = word.substr(colon + 1);
      fake::copy(version.empty() ? "Not Available" : version, text, size);
      return 0;
    }
  }
  return not_found;
}
int nvmlDeviceGetGridLicensableFeatures_v4(Device device, unsigned char* features) {
  constexpr std::size_t first_feature = 8;
  unsigned licensed = 0;
  const int code = answer(device, "nvmlDeviceGetGridLicensableFeatures_v4", "licence", &licensed);
  if (code != 0) return code;
  const std::array<unsigned, 2> head{1, 1};  // supported, count
  std::memcpy(features, head.data(), sizeof head);
  std::memcpy(features + first_feature + sizeof(int), &licensed, sizeof licensed);
  return 0;
}

}  // extern "C"
