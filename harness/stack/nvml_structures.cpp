// GPU facts that share an NVML call, or need several calls.
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

void add_pci(const SharedObject& library, nvml::Device device, Facts& facts) {
  nvml::PciInfo pci{};
  const int code = call_nvml(library, nvml::pci_info, device, &pci);
  pci.bus_id[sizeof pci.bus_id - 1] = '\0';
  facts.push_back({"pci", nvml::pci_info.name, code, code == 0 ? pci_address(pci.bus_id) : ""});
}

void add_memory(const SharedObject& library, nvml::Device device, Facts& facts) {
  nvml::Memory memory{};
  const int code = call_nvml(library, nvml::memory, device, &memory);
  facts.push_back(
      {"memory_mib", nvml::memory.name, code, code == 0 ? std::to_string(memory.total >> 20U) : ""});
}

void add_capability(const SharedObject& library, nvml::Device device, Facts& facts) {
  const char* const call = nvml::capability.name;
  int major = 0;
  int minor = 0;
  const int code = call_nvml(library, nvml::capability, device, &major, &minor);
  facts.push_back({"compute_capability", call, code, code == 0 ? fmt::format("{}.{}", major, minor) : ""});
}

void add_power_range(const SharedObject& library, nvml::Device device, Facts& facts) {
  const char* const call = nvml::power_limits.name;
  unsigned least = 0;
  unsigned most = 0;
  const int code = call_nvml(library, nvml::power_limits, device, &least, &most);
  if (code != 0) return add_failed(facts, call, code, {"power_limit_min_watt", "power_limit_max_watt"});
  facts.push_back({"power_limit_min_watt", call, 0, fmt::format("{}", least / 1000.0)});
  facts.push_back({"power_limit_max_watt", call, 0, fmt::format("{}", most / 1000.0)});
}

void add_mode(const SharedObject& library, nvml::Device device, EntryPoint<nvml::Words> entry,
              const std::string& name, Facts& facts) {
  unsigned now = 0;
  unsigned pending = 0;
  const int code = call_nvml(library, entry, device, &now, &pending);
  facts.push_back({name, entry.name, code, code == 0 ? std::string(on_or_off(now)) : ""});
  facts.push_back({name + "_pending", entry.name, code, code == 0 ? std::string(on_or_off(pending)) : ""});
}

void add_remapped(const SharedObject& library, nvml::Device device, Facts& facts) {
  const char* const call = nvml::remapped_rows.name;
  std::array<unsigned, 4> rows{};
  const int code = call_nvml(library, nvml::remapped_rows, device, &rows[0], &rows[1], &rows[2], &rows[3]);
  if (code != 0) {
    return add_failed(facts, call, code,
                      {"remapped_correctable", "remapped_uncorrectable", "remap_pending", "remap_failed"});
  }
  facts.push_back({"remapped_correctable", call, 0, std::to_string(rows[0])});
  facts.push_back({"remapped_uncorrectable", call, 0, std::to_string(rows[1])});
  facts.push_back({"remap_pending", call, 0, std::string(yes_or_no(rows[2]))});
  facts.push_back({"remap_failed", call, 0, std::string(yes_or_no(rows[3]))});
}

void add_uncorrected(const SharedObject& library, nvml::Device device, Facts& facts) {
  unsigned long long count = 0;
  const int code =
      call_nvml(library, nvml::ecc_errors, device, nvml::uncorrected, nvml::since_driver_load, &count);
  facts.push_back(
      {"ecc_uncorrected_volatile", nvml::ecc_errors.name, code, code == 0 ? std::to_string(count) : ""});
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

void add_throttle_reasons(const SharedObject& library, nvml::Device device, Facts& facts) {
  const NvmlReasons found = nvml_throttle_reasons(library, device);
  facts.push_back({"throttle_reasons", found.call, found.code,
                   found.code == nvml::success ? reason_words(found.bits) : ""});
}

void add_links(const SharedObject& library, nvml::Device device, Facts& facts) {
  const char* const call = nvml::nvlink_state.name;
  auto* const get = library.find(nvml::nvlink_state);
  int code = get == nullptr ? nvml::function_not_found : nvml::not_supported;
  int total = 0;
  int active = 0;
  for (unsigned link = 0; get != nullptr && link < nvml::nvlinks_most; ++link) {
    unsigned is_active = 0;
    const int answer = get(device, link, &is_active);
    if (answer == nvml::not_supported) continue;
    if (answer != 0 && answer != nvml::invalid_argument) code = answer;
    if (answer != 0) break;  // invalid argument: the GPU has no more links
    ++total;
    active += is_active != 0 ? 1 : 0;
  }
  if (total == 0) return add_failed(facts, call, code, {"nvlinks_active", "nvlinks_total"});
  facts.push_back({"nvlinks_active", call, 0, std::to_string(active)});
  facts.push_back({"nvlinks_total", call, 0, std::to_string(total)});
}

struct Process {
  unsigned pid;
  unsigned long long bytes;
};

template <typename Info>
int list_processes(const SharedObject& library, nvml::Device device,
                   EntryPoint<int(nvml::Device, unsigned*, Info*)> entry, std::vector<Process>& found) {
  constexpr unsigned processes_most = 256;
  std::vector<Info> processes(processes_most);
  unsigned count = processes_most;
  const int code = call_nvml(library, entry, device, &count, processes.data());
  if (code != 0) return code;
  for (unsigned i = 0; i < std::min(count, processes_most); ++i)
    found.push_back({processes[i].pid, processes[i].bytes});
  return 0;
}

std::string process_name(const SharedObject& library, unsigned pid) {
  std::array<char, 1024> name{};
  if (call_nvml(library, nvml::process_name, pid, name.data(), static_cast<unsigned>(name.size() - 1)) != 0)
    return "unknown";
  const std::string program = std::filesystem::path(name.data()).filename().string();
  return program.empty() ? "unknown" : program.substr(0, program.find(' '));
}

void add_processes(const SharedObject& library, nvml::Device device, Facts& facts) {
  constexpr std::size_t told_most = 16;
  constexpr unsigned long long not_available = ~0ULL;
  std::vector<Process> processes;
  const char* call = nvml::processes.name;
  int code = list_processes(library, device, nvml::processes, processes);
  if (code == nvml::function_not_found) {
    call = nvml::processes_v2.name;
    code = list_processes(library, device, nvml::processes_v2, processes);
  }
  if (code == nvml::function_not_found) {
    call = nvml::processes_v1.name;
    code = list_processes(library, device, nvml::processes_v1, processes);
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

std::vector<NvmlFact> ask_nvml_modes(const SharedObject& library, nvml::Device device) {
  Facts facts;
  add_mode(library, device, nvml::ecc_mode, "ecc", facts);
  add_mode(library, device, nvml::mig_mode, "mig", facts);
  return facts;
}

std::vector<NvmlFact> ask_nvml_structures(const SharedObject& library, nvml::Device device) {
  Facts facts = ask_nvml_modes(library, device);
  add_pci(library, device, facts);
  add_capability(library, device, facts);
  add_memory(library, device, facts);
  add_power_range(library, device, facts);
  add_throttle_reasons(library, device, facts);
  add_remapped(library, device, facts);
  add_uncorrected(library, device, facts);
  add_links(library, device, facts);
  for (NvmlFact& fact : ask_nvml_fabric(library, device)) facts.push_back(std::move(fact));
  add_processes(library, device, facts);
  return facts;
}

NvmlTemperature nvml_temperature(const SharedObject& library, nvml::Device device) {
  unsigned celsius = 0;
  const int code = call_nvml(library, nvml::temperature_v1, device, nvml::sensor_gpu, &celsius);
  const bool gone = code == nvml::function_not_found || code == nvml::not_supported;
  if (!gone || library.find(nvml::temperature) == nullptr)
    return {nvml::temperature_v1.name, code, static_cast<int>(celsius)};
  nvml::Temperature answer;
  const int newer = call_nvml(library, nvml::temperature, device, &answer);
  return {nvml::temperature.name, newer, answer.celsius};
}

NvmlReasons nvml_throttle_reasons(const SharedObject& library, nvml::Device device) {
  const auto entry =
      library.find(nvml::event_reasons) != nullptr ? nvml::event_reasons : nvml::throttle_reasons;
  NvmlReasons out{entry.name, nvml::function_not_found, 0};
  out.code = call_nvml(library, entry, device, &out.bits);
  return out;
}

NvmlFact ask_vgpu_guest(const SharedObject& library, nvml::Device device) {
  int mode = 0;
  const int code = call_nvml(library, nvml::virtualization, device, &mode);
  return {"guest", nvml::virtualization.name, code,
          code == nvml::success ? (mode == nvml::virtualization_guest ? "yes" : "no") : ""};
}

NvmlFact ask_vgpu_host(const SharedObject& library, nvml::Device device) {
  int mode = 0;
  const int code = call_nvml(library, nvml::virtualization, device, &mode);
  const bool host = mode == nvml::virtualization_host || mode == nvml::virtualization_host_shared;
  return {"host", nvml::virtualization.name, code, code == nvml::success ? (host ? "yes" : "no") : ""};
}

std::vector<VgpuInstance> ask_vgpu_instances(const SharedObject& library, nvml::Device device) {
  constexpr unsigned instances_most = 64;
  auto* const list = library.find(nvml::active_vgpus);
  const char* const call = nvml::vgpu_driver.name;
  auto* const get = library.find(nvml::vgpu_driver);
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

NvmlFact ask_vgpu_licence(const SharedObject& library, nvml::Device device) {
  const char* const call = nvml::licensable_features.name;
  // Newer drivers may write more than the known structure.
  union {
    nvml::LicensableFeatures known;
    char room[8192];
  } answer{};
  const int code = call_nvml(library, nvml::licensable_features, device, &answer.known);
  if (code != 0) return {"licence", call, code, ""};
  if (answer.known.supported == 0) return {"licence", call, nvml::not_supported, ""};
  std::string state = answer.known.count == 0 ? "unknown" : "unlicensed";
  for (unsigned i = 0; i < std::min(answer.known.count, 3U); ++i) {
    if (answer.known.features[i].licensed != 0) state = "licensed";
  }
  return {"licence", call, 0, state};
}

}  // namespace gpugauge::stack
