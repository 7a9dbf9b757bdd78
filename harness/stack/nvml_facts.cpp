// GPU facts that NVML answers with one call each.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/nvml.hpp"

namespace gpugauge::stack {
namespace {

constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int sensor_gpu = 0;
constexpr std::size_t longest_text = 256;  // longer than NVML documents for any of these

struct Query;
/// Fills `code` and `value`; `entry` is never nullptr.
using Ask = void (*)(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer);

struct Query {
  std::string_view fact;
  const char* call;
  Ask ask;
  int which = 0;  ///< which clock or sensor
};

void text(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  auto* const get = library.find<int(NvmlDevice, char*, unsigned)>(query.call);
  std::array<char, longest_text> buffer{};
  if (get != nullptr) answer.code = get(device, buffer.data(), buffer.size() - 1);
  if (answer.code == 0) answer.value = buffer.data();
}

/// Text from a call that takes no buffer size.
void unbounded_text(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  auto* const get = library.find<int(NvmlDevice, char*)>(query.call);
  std::array<char, longest_text> buffer{};
  if (get != nullptr) answer.code = get(device, buffer.data());
  buffer.back() = '\0';
  if (answer.code == 0) answer.value = buffer.data();
}

/// Gets the number; false if there is none.
bool get_number(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer,
                unsigned& value) {
  auto* const get = library.find<int(NvmlDevice, unsigned*)>(query.call);
  if (get != nullptr) answer.code = get(device, &value);
  return answer.code == 0;
}

void number(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (get_number(library, device, query, answer, value)) answer.value = std::to_string(value);
}

void watt(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  unsigned milliwatt = 0;
  if (get_number(library, device, query, answer, milliwatt))
    answer.value = fmt::format("{}", milliwatt / 1000.0);
}

void on_off(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (get_number(library, device, query, answer, value)) answer.value = value == 0 ? "off" : "on";
}

void yes_no(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (get_number(library, device, query, answer, value)) answer.value = value == 0 ? "no" : "yes";
}

void number_of(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  auto* const get = library.find<int(NvmlDevice, int, unsigned*)>(query.call);
  unsigned value = 0;
  if (get != nullptr) answer.code = get(device, query.which, &value);
  if (answer.code == 0) answer.value = std::to_string(value);
}

void performance_state(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  constexpr unsigned unknown = 32;
  unsigned value = 0;
  if (!get_number(library, device, query, answer, value)) return;
  if (value >= unknown) answer.code = nvml_not_supported;
  if (value < unknown) answer.value = fmt::format("P{}", value);
}

/// Answers with a word per number, counted from 0; a number without a word stays a number.
template <std::size_t count>
void word(const std::array<std::string_view, count>& words, const SharedObject& library, NvmlDevice device,
          const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (!get_number(library, device, query, answer, value)) return;
  answer.value = value < count && !words[value].empty() ? words[value] : fmt::format("number {}", value);
}

void brand(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  constexpr std::array<std::string_view, 17> words{
      "unknown", "Quadro", "Tesla",   "NVS",        "GRID",       "GeForce", "Titan",       "vApps",    "vPC",
      "vCS",     "vWS",    "vGaming", "Quadro RTX", "NVIDIA RTX", "NVIDIA",  "GeForce RTX", "Titan RTX"};
  word(words, library, device, query, answer);
}

void architecture(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  constexpr std::array<std::string_view, 14> words{"",          "",       "Kepler", "Maxwell", "Pascal",
                                                   "Volta",     "Turing", "Ampere", "Ada",     "Hopper",
                                                   "Blackwell", "",       "",       "Rubin"};
  word(words, library, device, query, answer);
}

void compute_mode(const SharedObject& library, NvmlDevice device, const Query& query, NvmlFact& answer) {
  constexpr std::array<std::string_view, 4> words{"default", "exclusive_thread", "prohibited",
                                                  "exclusive_process"};
  word(words, library, device, query, answer);
}

constexpr std::array queries{
    Query{"uuid", "nvmlDeviceGetUUID", text},
    Query{"name", "nvmlDeviceGetName", text},
    Query{"brand", "nvmlDeviceGetBrand", brand},
    Query{"architecture", "nvmlDeviceGetArchitecture", architecture},
    Query{"vbios", "nvmlDeviceGetVbiosVersion", text},
    Query{"serial", "nvmlDeviceGetSerial", text},
    Query{"board_part", "nvmlDeviceGetBoardPartNumber", text},
    Query{"gsp", "nvmlDeviceGetGspFirmwareVersion", unbounded_text},
    Query{"persistence", "nvmlDeviceGetPersistenceMode", on_off},
    Query{"compute_mode", "nvmlDeviceGetComputeMode", compute_mode},
    Query{"compute_mode_number", "nvmlDeviceGetComputeMode", number},
    Query{"power_limit_watt", "nvmlDeviceGetPowerManagementLimit", watt},
    Query{"power_limit_default_watt", "nvmlDeviceGetPowerManagementDefaultLimit", watt},
    Query{"sm_clock_max_mhz", "nvmlDeviceGetMaxClockInfo", number_of, clock_sm},
    Query{"memory_clock_max_mhz", "nvmlDeviceGetMaxClockInfo", number_of, clock_memory},
    Query{"sm_clock_application_mhz", "nvmlDeviceGetApplicationsClock", number_of, clock_sm},
    Query{"sm_clock_application_default_mhz", "nvmlDeviceGetDefaultApplicationsClock", number_of, clock_sm},
    Query{"memory_clock_application_mhz", "nvmlDeviceGetApplicationsClock", number_of, clock_memory},
    Query{"memory_clock_application_default_mhz", "nvmlDeviceGetDefaultApplicationsClock", number_of,
          clock_memory},
    Query{"temperature_c", "nvmlDeviceGetTemperature", number_of, sensor_gpu},
    Query{"pstate", "nvmlDeviceGetPerformanceState", performance_state},
    Query{"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration", number},
    Query{"pcie_generation_max", "nvmlDeviceGetMaxPcieLinkGeneration", number},
    Query{"pcie_width", "nvmlDeviceGetCurrPcieLinkWidth", number},
    Query{"pcie_width_max", "nvmlDeviceGetMaxPcieLinkWidth", number},
    Query{"retired_pages_pending", "nvmlDeviceGetRetiredPagesPendingStatus", yes_no},
};

}  // namespace

NvmlFact ask_nvml_fact(const SharedObject& library, NvmlDevice device, std::string_view fact) {
  const auto query =
      std::find_if(queries.begin(), queries.end(), [&](const Query& one) { return one.fact == fact; });
  NvmlFact answer{std::string(fact), query == queries.end() ? "" : query->call, nvml_function_not_found, ""};
  if (query != queries.end()) query->ask(library, device, *query, answer);
  return answer;
}

std::vector<std::string_view> nvml_facts() {
  std::vector<std::string_view> names;
  names.reserve(queries.size());
  for (const Query& query : queries) names.push_back(query.fact);
  return names;
}

}  // namespace gpugauge::stack
