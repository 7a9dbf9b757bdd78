// GPU facts that NVML answers with one call each.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/nvml.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t longest_text = 256;  // longer than NVML documents for any of these

struct Query;
/// Fills `code` and `value`; the function's type is that of the query's entry point.
using Ask = void (*)(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer);

struct Query {
  std::string_view fact;
  const char* call;
  Ask ask;
  int which = 0;  ///< which clock
};

void ask_text(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer) {
  auto* const get = library.find<nvml::Text>(query.call);
  std::array<char, longest_text> buffer{};
  if (get != nullptr) answer.code = get(device, buffer.data(), buffer.size() - 1);
  if (answer.code == nvml::success) answer.value = buffer.data();
}

/// Text from a call that takes no buffer size.
void ask_gsp_version(const SharedObject& library, nvml::Device device, const Query&, NvmlFact& answer) {
  auto* const get = library.find(nvml::gsp_version);
  std::array<char, longest_text> buffer{};
  if (get != nullptr) answer.code = get(device, buffer.data());
  buffer.back() = '\0';
  if (answer.code == nvml::success) answer.value = buffer.data();
}

/// Gets the number; false if there is none.
bool get_number(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer,
                unsigned& value) {
  auto* const get = library.find<nvml::Word>(query.call);
  if (get != nullptr) answer.code = get(device, &value);
  return answer.code == nvml::success;
}

void ask_number(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (get_number(library, device, query, answer, value)) answer.value = std::to_string(value);
}

void ask_watt(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer) {
  unsigned milliwatt = 0;
  if (get_number(library, device, query, answer, milliwatt))
    answer.value = fmt::format("{}", milliwatt / 1000.0);
}

void ask_on_off(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (get_number(library, device, query, answer, value)) answer.value = value == 0 ? "off" : "on";
}

void ask_yes_no(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (get_number(library, device, query, answer, value)) answer.value = value == 0 ? "no" : "yes";
}

void ask_clock(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer) {
  auto* const get = library.find<nvml::Numbered>(query.call);
  unsigned value = 0;
  if (get != nullptr) answer.code = get(device, query.which, &value);
  if (answer.code == nvml::success) answer.value = std::to_string(value);
}

void ask_temperature(const SharedObject& library, nvml::Device device, const Query&, NvmlFact& answer) {
  const NvmlTemperature found = nvml_temperature(library, device);
  answer.call = found.call;
  answer.code = found.code;
  if (answer.code == nvml::success) answer.value = std::to_string(found.celsius);
}

void ask_pstate(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (!get_number(library, device, query, answer, value)) return;
  if (value >= nvml::pstate_unknown)
    answer.code = nvml::not_supported;
  else
    answer.value = fmt::format("P{}", value);
}

/// Answers with a word per number, counted from 0; a number without a word stays a number.
template <std::size_t count>
void ask_word(const std::array<std::string_view, count>& words, const SharedObject& library,
              nvml::Device device, const Query& query, NvmlFact& answer) {
  unsigned value = 0;
  if (!get_number(library, device, query, answer, value)) return;
  answer.value = value < count && !words[value].empty() ? words[value] : fmt::format("number {}", value);
}

void ask_brand(const SharedObject& library, nvml::Device device, const Query& query, NvmlFact& answer) {
  constexpr std::array<std::string_view, 17> words{
      "unknown", "Quadro", "Tesla",   "NVS",        "GRID",       "GeForce", "Titan",       "vApps",    "vPC",
      "vCS",     "vWS",    "vGaming", "Quadro RTX", "NVIDIA RTX", "NVIDIA",  "GeForce RTX", "Titan RTX"};
  ask_word(words, library, device, query, answer);
}

void ask_architecture(const SharedObject& library, nvml::Device device, const Query& query,
                      NvmlFact& answer) {
  constexpr std::array<std::string_view, 14> words{"",          "",       "Kepler", "Maxwell", "Pascal",
                                                   "Volta",     "Turing", "Ampere", "Ada",     "Hopper",
                                                   "Blackwell", "",       "",       "Rubin"};
  ask_word(words, library, device, query, answer);
}

void ask_compute_mode(const SharedObject& library, nvml::Device device, const Query& query,
                      NvmlFact& answer) {
  constexpr std::array<std::string_view, 4> words{"default", "exclusive_thread", "prohibited",
                                                  "exclusive_process"};
  ask_word(words, library, device, query, answer);
}

constexpr Query text(std::string_view fact, EntryPoint<nvml::Text> entry) {
  return {fact, entry.name, ask_text};
}
constexpr Query number(std::string_view fact, EntryPoint<nvml::Word> entry, Ask ask = ask_number) {
  return {fact, entry.name, ask};
}
constexpr Query clock(std::string_view fact, EntryPoint<nvml::Numbered> entry, int which) {
  return {fact, entry.name, ask_clock, which};
}

constexpr std::array queries{
    text("uuid", nvml::uuid),
    text("name", nvml::name),
    number("brand", nvml::brand, ask_brand),
    number("architecture", nvml::architecture, ask_architecture),
    text("vbios", nvml::vbios),
    text("serial", nvml::serial),
    text("board_part", nvml::board_part),
    Query{"gsp", nvml::gsp_version.name, ask_gsp_version},
    number("persistence", nvml::persistence, ask_on_off),
    number("compute_mode", nvml::compute_mode, ask_compute_mode),
    number("compute_mode_number", nvml::compute_mode),
    number("power_limit_watt", nvml::power_limit, ask_watt),
    number("power_limit_default_watt", nvml::power_limit_default, ask_watt),
    clock("sm_clock_max_mhz", nvml::clock_max, nvml::clock_sm),
    clock("memory_clock_max_mhz", nvml::clock_max, nvml::clock_memory),
    clock("sm_clock_application_mhz", nvml::application_clock, nvml::clock_sm),
    clock("sm_clock_application_default_mhz", nvml::application_default, nvml::clock_sm),
    clock("memory_clock_application_mhz", nvml::application_clock, nvml::clock_memory),
    clock("memory_clock_application_default_mhz", nvml::application_default, nvml::clock_memory),
    Query{"temperature_c", nvml::temperature_v1.name, ask_temperature},
    number("pstate", nvml::performance_state, ask_pstate),
    number("pcie_generation", nvml::pcie_generation),
    number("pcie_generation_max", nvml::pcie_generation_max),
    number("pcie_width", nvml::pcie_width),
    number("pcie_width_max", nvml::pcie_width_max),
    number("retired_pages_pending", nvml::retired_pending, ask_yes_no),
};

}  // namespace

NvmlFact ask_nvml_fact(const SharedObject& library, nvml::Device device, std::string_view fact) {
  const auto query =
      std::find_if(queries.begin(), queries.end(), [&](const Query& one) { return one.fact == fact; });
  NvmlFact answer{std::string(fact), query == queries.end() ? "" : query->call, nvml::function_not_found, ""};
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
