// Finds GPUs that differ from others of the same model.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"
#include "stack/rules/gpus_parts.hpp"

namespace gpugauge::stack {
namespace {

enum class Subject { settings, ecc, nvlink, pcie, firmware, boards };

struct Compared {
  const char* fact;
  const char* words;
  Subject subject;
};
constexpr std::array compared{
    Compared{"ecc", "ECC", Subject::ecc},
    Compared{"nvlinks_active", "active NVLinks", Subject::nvlink},
    Compared{"pcie_generation_max", "highest PCIe generation", Subject::pcie},
    Compared{"pcie_width_max", "most PCIe lanes", Subject::pcie},
    Compared{"pcie_width", "PCIe lanes in use", Subject::pcie},
    Compared{"power_limit_watt", "power limit in W", Subject::settings},
    Compared{"sm_clock_max_mhz", "highest SM clock in MHz", Subject::settings},
    Compared{"memory_clock_max_mhz", "highest memory clock in MHz", Subject::settings},
    Compared{"sm_clock_application_mhz", "SM application clock in MHz", Subject::settings},
    Compared{"memory_clock_application_mhz", "memory application clock in MHz", Subject::settings},
    Compared{"gsp", "GSP firmware", Subject::firmware},
    Compared{"vbios", "VBIOS", Subject::firmware},
};

constexpr std::array board_facts{"vbios", "power_limit_default_watt"};

/// True if another rule already reports this value: it differs from its default.
bool said_elsewhere(const GpuView& gpu, std::string_view fact) {
  const auto below = [&](const char* now, const char* standard) {
    const auto value = gpu.number(now);
    const auto usual = gpu.number(standard);
    return value && usual && *value != *usual;
  };
  if (fact == "power_limit_watt") return below("power_limit_watt", "power_limit_default_watt");
  if (fact == "sm_clock_application_mhz")
    return below("sm_clock_application_mhz", "sm_clock_application_default_mhz");
  if (fact == "memory_clock_application_mhz")
    return below("memory_clock_application_mhz", "memory_clock_application_default_mhz");
  return false;
}

/// True if all tell a fact that comes with the board, and not all the same.
bool different_boards(const GpuViews& group) {
  return std::any_of(board_facts.begin(), board_facts.end(), [&](const char* fact) {
    std::set<std::string> values;
    for (const GpuView& gpu : group) values.insert(gpu.value(fact));
    return values.size() > 1 && !values.contains("");
  });
}

/// True if nobody set these values: each GPU has the one that its own board came with.
bool as_made(const GpuViews& group, std::string_view fact) {
  const auto default_of = [&]() -> const char* {
    if (fact == "power_limit_watt") return "power_limit_default_watt";
    if (fact == "sm_clock_application_mhz") return "sm_clock_application_default_mhz";
    if (fact == "memory_clock_application_mhz") return "memory_clock_application_default_mhz";
    return nullptr;
  };
  if (const char* const standard = default_of(); standard != nullptr) {
    std::set<std::string> standards;
    for (const GpuView& gpu : group) standards.insert(gpu.value(standard));
    // Of boards with one default a limit that differs was set.
    if (standards.size() < 2) return false;
    return std::all_of(group.begin(), group.end(), [&](const GpuView& gpu) {
      return said_elsewhere(gpu, fact) || (gpu.number(standard) && gpu.number(fact) == gpu.number(standard));
    });
  }
  if (fact != "sm_clock_max_mhz" && fact != "memory_clock_max_mhz") return false;
  return different_boards(group);  // a board's firmware holds its highest clocks
}

/// A difference in one subject among GPUs of one model.
struct Difference {
  GpuViews odd;        ///< those unlike the majority; empty if there is no majority
  bool split = false;  ///< no value has a majority
  std::vector<std::string> lines;
};

void add_odd(Difference& difference, const GpuView& gpu) {
  const auto same = [&](const GpuView& other) { return other.index() == gpu.index(); };
  if (std::none_of(difference.odd.begin(), difference.odd.end(), same)) difference.odd.push_back(gpu);
}

/// True unless the GPU merely has more links or a better slot than most: that is no fault.
bool worse(Subject subject, const std::string& value, const std::string& usual) {
  if (subject != Subject::nvlink && subject != Subject::pcie) return true;
  const auto a = result::number_in<double>(value);
  const auto b = result::number_in<double>(usual);
  return !a || !b || *a < *b;
}

void compare(const GpuViews& group, const Compared& row, Difference& difference) {
  std::vector<std::string> values;
  for (const GpuView& gpu : group) values.push_back(gpu.value(row.fact));
  if (std::any_of(values.begin(), values.end(), [](const std::string& v) { return v.empty(); })) return;
  if (std::all_of(values.begin(), values.end(), [&](const std::string& v) { return v == values.front(); }))
    return;
  const std::optional<std::string> usual = majority(values);
  if (!usual) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < group.size(); ++i)
      parts.push_back(fmt::format("{} on GPU {}", printable(values[i], 40), group[i].index()));
    difference.split = true;
    difference.lines.push_back(fmt::format("{}: {}", row.words, fmt::join(parts, ", ")));
    return;
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (values[i] == *usual || !worse(row.subject, values[i], *usual) || said_elsewhere(group[i], row.fact))
      continue;
    add_odd(difference, group[i]);
    difference.lines.push_back(fmt::format("{}: {} {}, {} on most others", group[i].name(), row.words,
                                           printable(values[i], 40), printable(*usual, 40)));
  }
}

struct Words {
  Cause cause;
  Severity severity;
  Severity split_severity;  ///< used if no value has a majority
  const char* title;        ///< follows the GPUs' names
  const char* split_title;
  const char* explanation;
  const char* next;
};

Words words_of(Subject subject) {
  switch (subject) {
    case Subject::ecc:
      return {
          Cause("ecc_mode_differs"),
          Severity::warning,
          Severity::warning,
          "unlike the others: ECC",
          "ECC is on for some GPUs and off for others",
          "On cards with GDDR memory ECC costs memory and bandwidth, and without it errors stay unseen: the "
          "GPUs do not compare.",
          "Set it alike: `sudo nvidia-smi -i ADDRESS -e 1` (0 for off), then reset or reboot"};
    case Subject::nvlink:
      return {
          Cause("nvlink_partial"),
          Severity::warning,
          Severity::warning,
          "fewer active NVLinks than the others",
          "The GPUs differ in their active NVLinks",
          "Compared with the other GPUs of the same model here, not with the chip's maximum: a link is down, "
          "so transfers between GPUs are slower.",
          "See the links: nvidia-smi nvlink -s; Xid 74 in the kernel log names failing ones"};
    case Subject::pcie:
      return {Cause("pcie_link_degraded"),
              Severity::warning,
              Severity::note,
              "a slower PCIe link than the others",
              "The GPUs have different PCIe links",
              "Copies to and from the host are slower in proportion. A GPU at rest may use fewer lanes, so a "
              "copy "
              "under load decides.",
              "Compare nvidia-smi topo -m and the slots; reseat the card, and look at its riser"};
    case Subject::firmware:
      return {Cause("gpu_settings_differ"),
              Severity::note,
              Severity::note,
              "other firmware than the others",
              "The GPUs do not have the same firmware",
              "Different firmware may bring different clocks, power behaviour and fixes.",
              "Bring the cards to one VBIOS with the server maker's update"};
    case Subject::boards:
      return {
          Cause("gpu_settings_differ"),
          Severity::note,
          Severity::note,
          "another board of the model, with other limits of its maker's",
          "The GPUs are different boards of one model, each with its maker's own limits",
          "Nobody has set them: each has the value that its board comes with. Work that is spread over them runs "
          "at the speed of the slowest.",
          "Nothing, or give all the lowest power limit: sudo nvidia-smi -pl WATT"};
    case Subject::settings:
      break;
  }
  return {Cause("gpu_settings_differ"),
          Severity::warning,
          Severity::warning,
          "set unlike the others",
          "The GPUs are not set alike",
          "Work that is spread over the GPUs runs at the speed of the slowest.",
          "Set them alike, or find who sets one: nvidia-smi -q -d CLOCK,POWER,COMPUTE"};
}

/// True for PCIe cards, which bridges join; not every card needs a bridge. GPUs on a board are wired alike.
/// Only known names of such cards count.
bool is_bridged(const GpuView& gpu) {
  constexpr std::array<std::string_view, 10> cards{
      "PCIe", "PCIE", " NVL", "RTX", "Quadro", "A40", "A30", "A800 40GB Active", "GeForce", "TITAN"};
  const std::string name = gpu.value("name");
  return std::any_of(cards.begin(), cards.end(),
                     [&](std::string_view card) { return name.find(card) != std::string::npos; });
}

/// True if the GPUs differ only in that some have no active link at all, as cards without a bridge.
bool lacks_only_bridges(const GpuViews& group, const Difference& difference) {
  if (group.empty() || !is_bridged(group.front())) return false;
  const auto none = [](const GpuView& gpu) { return gpu.is("nvlinks_active", "0"); };
  if (!difference.split) return std::all_of(difference.odd.begin(), difference.odd.end(), none);
  std::set<std::string> linked;
  for (const GpuView& gpu : group)
    if (!none(gpu)) linked.insert(gpu.value("nvlinks_active"));
  return linked.size() == 1;
}

Words words_without_bridge() {
  return {Cause("nvlink_partial"),
          Severity::note,
          Severity::note,
          "no active NVLink, unlike the others",
          "Some GPUs have active NVLinks and some have none",
          "Cards of this kind are joined by bridges: either one has no bridge, or its links are down. "
          "Transfers between it and the others go over PCIe.",
          "If a bridge is meant to be there: nvidia-smi nvlink -s, and reseat it"};
}

std::string title_of(const Words& words, Subject subject, const Difference& difference, std::size_t all) {
  if (difference.odd.empty()) return words.split_title;
  const std::string who = difference.odd.size() == 1 ? difference.odd[0].name() : named(difference.odd, all);
  const bool one = difference.odd.size() == 1;
  const bool is = subject == Subject::settings || subject == Subject::ecc || subject == Subject::boards;
  return fmt::format("{} {} {}", who, is ? (one ? "is" : "are") : (one ? "has" : "have"), words.title);
}

void check_models(const GpuViews& gpus, const std::map<std::string, GpuViews>& models, Findings& findings) {
  if (models.size() < 2) return;
  Finding finding =
      make_finding(Cause("gpu_models_differ"), Severity::note,
                   fmt::format("The {} GPUs are of {} models", gpus.size(), models.size()),
                   "Work that is spread over all of them runs at the speed of the slowest; which one "
                   "is CUDA's device 0 depends on CUDA_DEVICE_ORDER.");
  for (const auto& [model, some] : models)
    finding.evidence.push_back(fmt::format("{}: {}", named(some, gpus.size()), printable(model, 80)));
  finding.next = {"Choose the GPUs for a job with CUDA_VISIBLE_DEVICES and their UUIDs"};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_siblings(const RuleInput& /*input*/, const GpuViews& gpus, Findings& findings) {
  std::map<std::string, GpuViews> models;
  for (const GpuView& gpu : gpus)
    if (!gpu.value("name").empty()) models[gpu.value("name")].push_back(gpu);
  check_models(gpus, models, findings);
  for (const auto& [model, group] : models) {
    std::map<Subject, Difference> differences;
    for (const Compared& row : compared)
      compare(group, row, differences[as_made(group, row.fact) ? Subject::boards : row.subject]);
    for (auto& [subject, difference] : differences) {
      if (difference.lines.empty()) continue;
      const bool bridge = subject == Subject::nvlink && lacks_only_bridges(group, difference);
      const Words words = bridge ? words_without_bridge() : words_of(subject);
      Finding finding =
          make_finding(words.cause, difference.odd.empty() ? words.split_severity : words.severity,
                       title_of(words, subject, difference, gpus.size()), words.explanation);
      finding.evidence = std::move(difference.lines);
      finding.next = {words.next};
      if (subject == Subject::ecc && !difference.odd.empty())
        finding.next = {
            fmt::format("Set it like the others: {}, then reset or reboot",
                        smi_for(difference.odd, difference.odd.front().is("ecc", "on") ? "-e 0" : "-e 1"))};
      finding.layers = {"gpu"};
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace gpugauge::stack
