// GPU facts that share an NVML call, or need several calls. The structures follow NVIDIA's nvml.h (CUDA 13).
#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "result/throttle_reasons.hpp"
#include "stack/nvml.hpp"

namespace gpugauge::stack {
namespace {

using Facts = std::vector<NvmlFact>;

struct PciInfo {  // nvmlPciInfo_t
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct MemoryInfo {  // nvmlMemory_t, bytes
  unsigned long long total, free, used;
};
struct ProcessInfo {  // nvmlProcessInfo_t since its second version
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
struct OldProcessInfo {  // nvmlProcessInfo_v1_t
  unsigned pid;
  unsigned long long bytes;
};
struct FabricInfo {  // nvmlGpuFabricInfo_t
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
};
struct LicenceExpiry {  // nvmlGridLicenseExpiry_t
  unsigned year;
  unsigned short month, day, hour, minute, second;
  unsigned char status;
};
struct LicensableFeature {  // nvmlGridLicensableFeature_t
  int code;
  unsigned licensed;
  char information[128], product[128];
  unsigned enabled;
  LicenceExpiry expiry;
};
struct LicensableFeatures {  // nvmlGridLicensableFeatures_t
  int supported;
  unsigned count;
  LicensableFeature features[3];
};
static_assert(sizeof(PciInfo) == 68 && sizeof(ProcessInfo) == 24 && sizeof(OldProcessInfo) == 16);
static_assert(sizeof(FabricInfo) == 28 && sizeof(LicensableFeature) == 284 &&
              sizeof(LicensableFeatures) == 860);

constexpr std::string_view yes_or_no(unsigned value) {
  return value == 0 ? "no" : "yes";
}
constexpr std::string_view on_or_off(unsigned value) {
  return value == 0 ? "off" : "on";
}

/// Adds the same code for each of several facts of one call.
void add_failed(Facts& facts, const char* call, int code, std::initializer_list<const char*> names) {
  for (const char* const name : names) facts.push_back({name, call, code, ""});
}

template <typename Structure>
int fill(const SharedObject& library, NvmlDevice device, const char* call, Structure& structure) {
  auto* const get = library.find<int(NvmlDevice, Structure*)>(call);
  return get == nullptr ? nvml_function_not_found : get(device, &structure);
}

void add_pci(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* const call = "nvmlDeviceGetPciInfo_v3";
  PciInfo pci{};
  const int code = fill(library, device, call, pci);
  pci.bus_id[sizeof pci.bus_id - 1] = '\0';
  facts.push_back({"pci", call, code, code == 0 ? pci_address(pci.bus_id) : ""});
}

void add_memory(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* const call = "nvmlDeviceGetMemoryInfo";
  MemoryInfo memory{};
  const int code = fill(library, device, call, memory);
  facts.push_back({"memory_mib", call, code, code == 0 ? std::to_string(memory.total >> 20U) : ""});
}

void add_capability(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* const call = "nvmlDeviceGetCudaComputeCapability";
  auto* const get = library.find<int(NvmlDevice, int*, int*)>(call);
  int major = 0;
  int minor = 0;
  const int code = get == nullptr ? nvml_function_not_found : get(device, &major, &minor);
  facts.push_back({"compute_capability", call, code, code == 0 ? fmt::format("{}.{}", major, minor) : ""});
}

int get_pair(const SharedObject& library, NvmlDevice device, const char* call, unsigned& first,
             unsigned& second) {
  auto* const get = library.find<int(NvmlDevice, unsigned*, unsigned*)>(call);
  return get == nullptr ? nvml_function_not_found : get(device, &first, &second);
}

void add_power_range(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* const call = "nvmlDeviceGetPowerManagementLimitConstraints";
  unsigned least = 0;
  unsigned most = 0;
  const int code = get_pair(library, device, call, least, most);
  if (code != 0) return add_failed(facts, call, code, {"power_limit_min_watt", "power_limit_max_watt"});
  facts.push_back({"power_limit_min_watt", call, 0, fmt::format("{}", least / 1000.0)});
  facts.push_back({"power_limit_max_watt", call, 0, fmt::format("{}", most / 1000.0)});
}

void add_mode(const SharedObject& library, NvmlDevice device, const char* call, const std::string& name,
              Facts& facts) {
  unsigned now = 0;
  unsigned pending = 0;
  const int code = get_pair(library, device, call, now, pending);
  facts.push_back({name, call, code, code == 0 ? std::string(on_or_off(now)) : ""});
  facts.push_back({name + "_pending", call, code, code == 0 ? std::string(on_or_off(pending)) : ""});
}

void add_remapped(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* const call = "nvmlDeviceGetRemappedRows";
  auto* const get = library.find<int(NvmlDevice, unsigned*, unsigned*, unsigned*, unsigned*)>(call);
  std::array<unsigned, 4> rows{};
  const int code =
      get == nullptr ? nvml_function_not_found : get(device, &rows[0], &rows[1], &rows[2], &rows[3]);
  if (code != 0) {
    return add_failed(facts, call, code,
                      {"remapped_correctable", "remapped_uncorrectable", "remap_pending", "remap_failed"});
  }
  facts.push_back({"remapped_correctable", call, 0, std::to_string(rows[0])});
  facts.push_back({"remapped_uncorrectable", call, 0, std::to_string(rows[1])});
  facts.push_back({"remap_pending", call, 0, std::string(yes_or_no(rows[2]))});
  facts.push_back({"remap_failed", call, 0, std::string(yes_or_no(rows[3]))});
}

void add_uncorrected(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* const call = "nvmlDeviceGetTotalEccErrors";
  constexpr int uncorrected = 1;
  constexpr int since_the_driver_was_loaded = 0;
  auto* const get = library.find<int(NvmlDevice, int, int, unsigned long long*)>(call);
  unsigned long long count = 0;
  const int code = get == nullptr ? nvml_function_not_found
                                  : get(device, uncorrected, since_the_driver_was_loaded, &count);
  facts.push_back({"ecc_uncorrected_volatile", call, code, code == 0 ? std::to_string(count) : ""});
}

std::string reason_words(unsigned long long reasons) {
  const auto& words = result::throttle_reasons;
  std::vector<std::string> found;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((reasons >> bit & 1U) == 0) continue;
    found.push_back(bit < words.size() ? std::string(words[bit]) : fmt::format("bit_{}", bit));
  }
  return found.empty() ? "none" : fmt::format("{}", fmt::join(found, ","));
}

void add_throttle_reasons(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* call = "nvmlDeviceGetCurrentClocksEventReasons";  // its newer name
  if (library.find<void()>(call) == nullptr) call = "nvmlDeviceGetCurrentClocksThrottleReasons";
  unsigned long long reasons = 0;
  const int code = fill(library, device, call, reasons);
  facts.push_back({"throttle_reasons", call, code, code == 0 ? reason_words(reasons) : ""});
}

void add_links(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* const call = "nvmlDeviceGetNvLinkState";
  constexpr unsigned links_most = 36;
  auto* const get = library.find<int(NvmlDevice, unsigned, unsigned*)>(call);
  int code = get == nullptr ? nvml_function_not_found : nvml_not_supported;
  int total = 0;
  int active = 0;
  for (unsigned link = 0; get != nullptr && link < links_most; ++link) {
    unsigned is_active = 0;
    const int answer = get(device, link, &is_active);
    if (answer == nvml_not_supported) continue;
    if (answer != 0 && answer != nvml_invalid_argument) code = answer;
    if (answer != 0) break;  // invalid argument: the GPU has no more links
    ++total;
    active += is_active != 0 ? 1 : 0;
  }
  if (total == 0) return add_failed(facts, call, code, {"nvlinks_active", "nvlinks_total"});
  facts.push_back({"nvlinks_active", call, 0, std::to_string(active)});
  facts.push_back({"nvlinks_total", call, 0, std::to_string(total)});
}

void add_fabric(const SharedObject& library, NvmlDevice device, Facts& facts) {
  const char* const call = "nvmlDeviceGetGpuFabricInfo";
  constexpr std::array<std::string_view, 4> words{"not_supported", "not_started", "in_progress", "completed"};
  constexpr unsigned char completed = 3;
  FabricInfo fabric{};
  const int code = fill(library, device, call, fabric);
  NvmlFact fact{"fabric_state", call, code, ""};
  if (code == 0 && fabric.state < words.size()) fact.value = words[fabric.state];
  if (code == 0 && fabric.state >= words.size()) fact.value = fmt::format("number {}", fabric.state);
  if (code == 0 && fabric.state == completed && fabric.status != 0) fact.value = "failed";
  facts.push_back(std::move(fact));
}

struct Process {
  unsigned pid;
  unsigned long long bytes;
};

template <typename Info>
int list_processes(const SharedObject& library, NvmlDevice device, const char* call,
                   std::vector<Process>& found) {
  constexpr unsigned processes_most = 256;
  auto* const get = library.find<int(NvmlDevice, unsigned*, Info*)>(call);
  if (get == nullptr) return nvml_function_not_found;
  std::vector<Info> processes(processes_most);
  unsigned count = processes_most;
  const int code = get(device, &count, processes.data());
  if (code != 0) return code;
  for (unsigned i = 0; i < std::min(count, processes_most); ++i)
    found.push_back({processes[i].pid, processes[i].bytes});
  return 0;
}

std::string process_name(const SharedObject& library, unsigned pid) {
  auto* const get = library.find<int(unsigned, char*, unsigned)>("nvmlSystemGetProcessName");
  std::array<char, 1024> name{};
  if (get == nullptr || get(pid, name.data(), name.size() - 1) != 0) return "unknown";
  const std::string program = std::filesystem::path(name.data()).filename().string();
  return program.empty() ? "unknown" : program.substr(0, program.find(' '));
}

void add_processes(const SharedObject& library, NvmlDevice device, Facts& facts) {
  constexpr std::size_t told_most = 16;
  constexpr unsigned long long not_available = ~0ULL;
  std::vector<Process> processes;
  const char* call = "nvmlDeviceGetComputeRunningProcesses_v3";
  int code = list_processes<ProcessInfo>(library, device, call, processes);
  if (code == nvml_function_not_found) {
    call = "nvmlDeviceGetComputeRunningProcesses_v2";
    code = list_processes<ProcessInfo>(library, device, call, processes);
  }
  if (code == nvml_function_not_found) {
    call = "nvmlDeviceGetComputeRunningProcesses";
    code = list_processes<OldProcessInfo>(library, device, call, processes);
  }
  std::erase_if(processes,
                [](const Process& process) { return process.pid == static_cast<unsigned>(::getpid()); });
  facts.push_back({"processes", call, code, code == 0 ? std::to_string(processes.size()) : ""});
  for (std::size_t i = 0; i < std::min(processes.size(), told_most); ++i) {
    const Process& process = processes[i];
    const std::string memory =
        process.bytes == not_available ? "unknown" : std::to_string(process.bytes >> 20U);
    facts.push_back({fmt::format("process.{}", i), call, 0,
                     fmt::format("{} {} {}", process.pid, process_name(library, process.pid), memory)});
  }
}

}  // namespace

std::vector<NvmlFact> ask_nvml_modes(const SharedObject& library, NvmlDevice device) {
  Facts facts;
  add_mode(library, device, "nvmlDeviceGetEccMode", "ecc", facts);
  add_mode(library, device, "nvmlDeviceGetMigMode", "mig", facts);
  return facts;
}

std::vector<NvmlFact> ask_nvml_structures(const SharedObject& library, NvmlDevice device) {
  Facts facts = ask_nvml_modes(library, device);
  add_pci(library, device, facts);
  add_capability(library, device, facts);
  add_memory(library, device, facts);
  add_power_range(library, device, facts);
  add_throttle_reasons(library, device, facts);
  add_remapped(library, device, facts);
  add_uncorrected(library, device, facts);
  add_links(library, device, facts);
  add_fabric(library, device, facts);
  add_processes(library, device, facts);
  return facts;
}

NvmlFact ask_vgpu_guest(const SharedObject& library, NvmlDevice device) {
  const char* const call = "nvmlDeviceGetVirtualizationMode";
  constexpr int guest = 2;
  int mode = 0;
  const int code = fill(library, device, call, mode);
  return {"guest", call, code, code == 0 ? (mode == guest ? "yes" : "no") : ""};
}

NvmlFact ask_vgpu_host(const SharedObject& library, NvmlDevice device) {
  const char* const call = "nvmlDeviceGetVirtualizationMode";
  constexpr int host = 3;
  constexpr int host_shared = 4;  // vSGA: the guest has no NVIDIA driver
  int mode = 0;
  const int code = fill(library, device, call, mode);
  return {"host", call, code, code == 0 ? (mode == host || mode == host_shared ? "yes" : "no") : ""};
}

std::vector<VgpuInstance> ask_vgpu_instances(const SharedObject& library, NvmlDevice device) {
  constexpr unsigned instances_most = 64;
  auto* const list = library.find<int(NvmlDevice, unsigned*, unsigned*)>("nvmlDeviceGetActiveVgpus");
  const char* const call = "nvmlVgpuInstanceGetVmDriverVersion";
  auto* const get = library.find<int(unsigned, char*, unsigned)>(call);
  std::array<unsigned, instances_most> ids{};
  unsigned count = instances_most;
  if (list == nullptr || get == nullptr || list(device, &count, ids.data()) != 0) return {};
  std::vector<VgpuInstance> found;
  for (unsigned i = 0; i < std::min(count, instances_most); ++i) {
    std::array<char, 81> version{};
    const int code = get(ids.at(i), version.data(), version.size() - 1);
    const std::string text = code == 0 ? version.data() : "";
    // A guest that has not started its driver reports "Not Available".
    const bool told = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
    found.push_back({ids.at(i), {"guest_driver", call, code, told ? text : ""}});
  }
  return found;
}

NvmlFact ask_vgpu_licence(const SharedObject& library, NvmlDevice device) {
  const char* const call = "nvmlDeviceGetGridLicensableFeatures_v4";
  // Newer drivers may write more than the known structure.
  union {
    LicensableFeatures known;
    char room[8192];
  } answer{};
  const int code = fill(library, device, call, answer.known);
  if (code != 0) return {"licence", call, code, ""};
  if (answer.known.supported == 0) return {"licence", call, nvml_not_supported, ""};
  std::string state = answer.known.count == 0 ? "unknown" : "unlicensed";
  for (unsigned i = 0; i < std::min(answer.known.count, 3U); ++i) {
    if (answer.known.features[i].licensed != 0) state = "licensed";
  }
  return {"licence", call, 0, state};
}

}  // namespace gpugauge::stack
