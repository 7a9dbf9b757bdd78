// The table of fingerprint fields that make two runs incomparable, with one reason per row.
#include "baseline/fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "baseline/baseline.hpp"
#include "baseline/card.hpp"
#include "baseline/digest.hpp"
#include "result/pattern.hpp"

namespace gpugauge::baseline {
namespace {

/// The first row with matching section and pattern decides.
struct Row {
  std::string_view section;
  std::string_view pattern;
  Role role;
  std::string_view reason;
  bool only_in_common = false;  ///< that one side lacks it is no difference: older files do not hold it
};

constexpr std::array table{
    Row{"device", "gpu.*.uuid", Role::identity,
        "another card of the same model may be compared with on purpose (a shipped baseline), never by "
        "itself"},
    Row{"device", host_identity_fact, Role::host_identity,
        "another host of the same model, or this one under another name; it says whose baseline it is, and "
        "refuses none"},
    Row{"device", "*", Role::must, "another processor, GPU model, memory size or count is another machine"},
    Row{"stack", "*path", Role::noted, "where a library lies changes nothing; its version does"},
    Row{"stack", "*", Role::must,
        "a driver, library or kernel of another version is the treatment of a comparison, which must be "
        "declared"},
    Row{"settings", "gpu.*.mig*", Role::must, "a slice of a card is another device"},
    Row{"settings", "gpu.*_clock_application*", Role::noted,
        "clocks that were set otherwise are a cause to be found; runs of earlier versions lack them", true},
    Row{"settings", "gpu.*.confidential_computing", Role::noted,
        "a mode that was set otherwise is a cause to be found; runs of earlier versions lack it", true},
    Row{"settings", "gpu.*.vgpu_licence", Role::noted,
        "a licence that was lost is a cause to be found; runs of earlier versions lack it", true},
    Row{"settings", "*", Role::noted,
        "a limit, governor or affinity that was set otherwise is a cause to be found, not another machine"},
    Row{"topology", "gpu.*.pci_*", Role::noted,
        "another slot is a cause to be found; runs of earlier versions lack it", true},
    Row{"topology", "gpu.*.socket", Role::noted,
        "another slot is a cause to be found; runs of earlier versions lack it", true},
    Row{"topology", "gpu.*.card", Role::noted,
        "the card that an instance is a part of; runs of earlier versions lack it", true},
    Row{"topology", "*", Role::noted, "a link or memory node that came up otherwise is a fault to be found"},
    Row{"suite", "suite.version", Role::noted,
        "the hashes of the sources say more exactly what was measured"},
    Row{"suite", "suite.commit", Role::noted, "the hashes of the sources say more exactly what was measured"},
    Row{"suite", "suite.source_hash.*", Role::must_in_common,
        "another source is another measurement; a family that one side lacks is reported as missing or new "
        "instead"},
    Row{"suite", "*", Role::must, "another profile measures with other windows and repetitions"},
};

/// The values of a fact on both sides, in the order of the runs.
struct Values {
  std::vector<std::string> now, then;

  std::optional<std::pair<std::string, std::string>> different() const {
    for (const std::string& here : now)
      for (const std::string& there : then)
        if (here != there) return std::pair(here, there);
    return std::nullopt;
  }
  /// A value now that no run had then, with one of then.
  std::optional<std::pair<std::string, std::string>> come_up() const {
    if (then.empty()) return std::nullopt;
    for (const std::string& here : now)
      if (std::find(then.begin(), then.end(), here) == then.end()) return std::pair(here, then.front());
    return std::nullopt;
  }
};

/// Each value once; an absent fact counts as "" if its absence `matters`.
std::vector<std::string> values_of(const std::vector<result::Fingerprint>& side, const Section& section,
                                   const std::string& name, bool matters) {
  std::vector<std::string> out;
  for (const result::Fingerprint& fingerprint : side) {
    const result::Facts& facts = fingerprint.*section.facts;
    const auto found = facts.find(name);
    if (found == facts.end() && !matters) continue;
    const std::string value = found == facts.end() ? "" : found->second;
    if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
  }
  return out;
}

/// The row that decides; nullptr if none does.
const Row* row_of(std::string_view section, std::string_view fact) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Row& row) {
    return row.section == section && result::matches(row.pattern, fact);
  });
  return found == table.end() ? nullptr : &*found;
}

bool only_in_common(std::string_view section, std::string_view fact) {
  const Row* const row = row_of(section, fact);
  return row != nullptr &&
         (row->only_in_common || row->role == Role::must_in_common || row->role == Role::host_identity);
}

using Pair = std::optional<std::pair<std::string, std::string>>;

/// The fields of these roles in which `differ` finds a pair of values, between all runs of both sides. Cards are matched
/// by UUID, whatever their numbers in a run.
std::vector<Mismatch> between_sides(const std::vector<result::Run>& now, const std::vector<result::Run>& then,
                                    const std::vector<Role>& roles, Pair (Values::*differ)() const) {
  std::vector<Mismatch> out;
  const auto named = [](const result::Run& run) {
    return number_of_card(run.fingerprint, run.device).has_value();
  };
  const bool cards = !now.empty() && std::all_of(now.begin(), now.end(), named) &&
                     std::all_of(then.begin(), then.end(), named);
  const std::optional<std::string> number =
      cards ? number_of_card(now.front().fingerprint, now.front().device) : std::nullopt;
  const auto about = [&](const std::vector<result::Run>& runs) {
    std::vector<result::Fingerprint> side;
    side.reserve(runs.size());
    for (const result::Run& run : runs)
      side.push_back(number ? about_card(run.fingerprint, run.device, *number) : run.fingerprint);
    return side;
  };
  const std::vector<result::Fingerprint> here = about(now);
  const std::vector<result::Fingerprint> there = about(then);
  for (const Section& section : sections) {
    std::set<std::string> names;
    for (const std::vector<result::Fingerprint>* side : {&here, &there})
      for (const result::Fingerprint& fingerprint : *side)
        for (const auto& fact : fingerprint.*section.facts) names.insert(fact.first);
    for (const std::string& name : names) {
      if (std::find(roles.begin(), roles.end(), role_of(section.name, name)) == roles.end()) continue;
      const bool matters = !only_in_common(section.name, name);
      const Values values{values_of(here, section, name, matters), values_of(there, section, name, matters)};
      if (const Pair pair = (values.*differ)())
        out.push_back({field_name(section.name, name), pair->first, pair->second});
    }
  }
  return out;
}

}  // namespace

std::string field_name(std::string_view section, std::string_view fact) {
  const bool has_it =
      fact.size() > section.size() && fact.starts_with(section) && fact[section.size()] == '.';
  std::string out(has_it ? std::string_view() : section);
  if (!has_it) out += '.';
  return out.append(fact);
}

Role role_of(std::string_view section, std::string_view fact) {
  const Row* const row = row_of(section, fact);
  return row == nullptr ? Role::must : row->role;
}

std::vector<Mismatch> differences(const result::Fingerprint& now, const result::Fingerprint& then,
                                  const std::vector<Role>& roles) {
  std::vector<Mismatch> out;
  for (const Section& section : sections) {
    const result::Facts& here = now.*section.facts;
    const result::Facts& there = then.*section.facts;
    std::set<std::string> names;
    for (const auto& fact : here) names.insert(fact.first);
    for (const auto& fact : there) names.insert(fact.first);
    for (const std::string& name : names) {
      const Role role = role_of(section.name, name);
      if (std::find(roles.begin(), roles.end(), role) == roles.end()) continue;
      const auto a = here.find(name);
      const auto b = there.find(name);
      if (only_in_common(section.name, name) && (a == here.end() || b == there.end())) continue;
      const std::string value_now = a == here.end() ? "" : a->second;
      const std::string value_then = b == there.end() ? "" : b->second;
      if (value_now != value_then) out.push_back({field_name(section.name, name), value_now, value_then});
    }
  }
  return out;
}

std::vector<Mismatch> mismatches(const result::Fingerprint& now, const result::Fingerprint& then) {
  return differences(now, then, {Role::must, Role::must_in_common});
}

std::vector<Mismatch> mismatches(const result::Run& now, const result::Run& then) {
  const auto [here, there] = about_cards(now.fingerprint, now.device, then.fingerprint, then.device);
  return mismatches(here, there);
}

std::vector<Mismatch> mismatches(const std::vector<result::Run>& now, const std::vector<result::Run>& then) {
  return between_sides(now, then, {Role::must, Role::must_in_common}, &Values::different);
}

std::vector<Mismatch> noted_differences(const result::Fingerprint& now, const result::Fingerprint& then) {
  return differences(now, then, {Role::identity, Role::noted});
}

std::vector<Mismatch> noted_differences(const result::Run& now, const result::Run& then) {
  const auto [here, there] = about_cards(now.fingerprint, now.device, then.fingerprint, then.device);
  return noted_differences(here, there);
}

std::vector<Mismatch> noted_differences(const std::vector<result::Run>& now,
                                        const std::vector<result::Run>& then) {
  return between_sides(now, then, {Role::identity, Role::noted}, &Values::come_up);
}

bool names(std::string_view treatment, std::string_view field) {
  const auto below = [&](std::string_view name) {
    return name == treatment ||
           (name.size() > treatment.size() && name.starts_with(treatment) && name[treatment.size()] == '.');
  };
  if (treatment.empty()) return false;
  const std::size_t dot = field.find('.');
  return below(field) || (dot != std::string_view::npos && below(field.substr(dot + 1)));
}

bool covers(std::string_view treatment, std::string_view field) {
  return names(treatment, field) && !of_the_device(field) && !of_the_suite(field);
}

bool of_the_device(std::string_view field) {
  // A slice of a card is another device, although a setting creates it.
  if (result::matches("settings.gpu.*.mig*", field)) return true;
  // A comparison may be about where the files of a Google Benchmark project were recorded. The name
  // distinguishes hosts, not devices.
  return field == "device" || (field.starts_with("device.") && field != "device.host.name");
}

bool of_the_suite(std::string_view field) {
  return field == "suite" || field.starts_with("suite.");
}

bool can_be_treatment(std::string_view word) {
  if (of_the_suite(word) || (of_the_device(word) && word.starts_with("settings."))) return false;
  constexpr std::string_view section = "device.";
  const std::string_view name = word.starts_with(section) ? word.substr(section.size()) : word;
  // Fields that are called gpu and must match describe the card or a slice of it.
  const bool device = word != name ? of_the_device(word) : name == "device" || name == "host";
  return !device && name != "gpu" && !name.starts_with("gpu.");
}

std::string key(const result::Fingerprint& fingerprint) {
  std::string text;
  for (const Section& section : sections) {
    for (const auto& [name, value] : fingerprint.*section.facts) {
      const Role role = role_of(section.name, name);
      if (role != Role::must && role != Role::must_in_common) continue;
      // The length prevents a value with line breaks from imitating another field.
      text += field_name(section.name, name) + "=" + std::to_string(value.size()) + ":" + value + "\n";
    }
  }
  return sha256(text);
}

}  // namespace gpugauge::baseline
