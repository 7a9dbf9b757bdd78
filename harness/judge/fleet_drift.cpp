// Counts facts over a fleet and finds the odd values.
#include "judge/fleet_drift.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "result/device_kind.hpp"
#include "result/facts.hpp"
#include "result/pattern.hpp"

namespace gpugauge::judge {
namespace {

/// Facts on a run's place or name: many values are normal.
constexpr std::array<std::string_view, 3> places{"settings.host.name", "settings.host.cpus_allowed",
                                                 "settings.env.CUDA_VISIBLE_DEVICES"};

/// Facts that identify a node are not drift.
bool is_identity(baseline::Role role) {
  return role == baseline::Role::identity || role == baseline::Role::host_identity;
}

constexpr std::string_view firmware = "settings.gpu.*.vbios";

std::string device_model(const result::Run& run) {
  const result::DeviceKind kind = result::device_kind(run.device);
  const auto named = [&](const char* name) { return result::fact(run.fingerprint.device, name, "unknown"); };
  if (kind == result::DeviceKind::host) return named("host.cpu_model");
  return kind == result::DeviceKind::links ? "links between " + named("gpu.0.name") : named("gpu.0.name");
}

bool must_match(baseline::Role role) {
  return role == baseline::Role::must || role == baseline::Role::must_in_common;
}

/// The fact that shows the presence of a field's GPU: "device.gpu.3.name" for "settings.gpu.3.vbios"; "" for
/// other fields.
std::string presence_of(const std::string& field) {
  const std::size_t gpu = field.find(".gpu.");
  if (gpu == std::string::npos || gpu != field.find('.')) return "";
  const std::size_t number = gpu + std::string_view(".gpu.").size();
  const std::size_t end = field.find_first_not_of("0123456789", number);
  if (end == number || end == std::string::npos || field[end] != '.') return "";
  return "device" + field.substr(gpu, end + 1 - gpu) + "name";
}

/// Whether to report a field without a majority value. Always for fields that must match and firmware; others
/// not if each run has its own value, which identifies runs.
bool speaks_without_majority(const std::string& field, baseline::Role role, std::size_t most) {
  if (must_match(role) || result::matches(firmware, field)) return true;
  return most > 1 && std::find(places.begin(), places.end(), field) == places.end();
}

}  // namespace

void FleetDrift::add(const result::Run& run, const std::string& label) {
  const std::string model = device_model(run);
  const std::lock_guard lock(mutex_);
  Device& device = devices_[model];
  const auto place = static_cast<std::uint32_t>(device.labels.size());
  device.labels.push_back(label);
  for (const baseline::Section& section : baseline::sections)
    for (const auto& [name, value] : run.fingerprint.*section.facts) {
      const auto [found, added] = device.facts.try_emplace(baseline::field_name(section.name, name));
      Fact& fact = found->second;
      if (added) fact.role = baseline::role_of(section.name, name);
      if (!is_identity(fact.role)) fact.values[value].push_back(place);
    }
}

FleetDrift::Runs FleetDrift::having(const Fact& fact) {
  Runs out;
  for (const auto& [value, runs] : fact.values) out.insert(out.end(), runs.begin(), runs.end());
  if (fact.values.size() > 1) std::sort(out.begin(), out.end());
  return out;
}

FleetDrift::Runs FleetDrift::lacking(const Device& device, const std::string& field, const Fact& fact) {
  if (fact.role == baseline::Role::must_in_common) return {};
  Runs counted;
  if (const std::string presence = presence_of(field); presence.empty()) {
    counted.resize(device.labels.size());
    std::iota(counted.begin(), counted.end(), 0U);
  } else if (const auto named = device.facts.find(presence); named != device.facts.end()) {
    counted = having(named->second);
  }
  const Runs have = having(fact);
  Runs out;
  std::set_difference(counted.begin(), counted.end(), have.begin(), have.end(), std::back_inserter(out));
  return out;
}

std::vector<DriftedFact> FleetDrift::facts(const std::map<std::string, std::string>& names) const {
  std::vector<DriftedFact> out;
  for (const auto& [model, device] : devices_) {
    const auto labels_of = [&, &labels = device.labels](const Runs& runs) {
      std::set<std::string> called;
      for (const std::uint32_t run : runs) {
        const auto name = names.find(labels[run]);
        called.insert(name == names.end() ? labels[run] : name->second);
      }
      return std::vector<std::string>(called.begin(), called.end());
    };
    for (const auto& [field, fact] : device.facts) {
      if (is_identity(fact.role)) continue;
      const Runs without = lacking(device, field, fact);
      std::vector<std::pair<std::optional<std::string>, const Runs*>> values;
      if (!without.empty()) values.emplace_back(std::nullopt, &without);
      for (const auto& [value, runs] : fact.values) values.emplace_back(value, &runs);
      if (values.size() < 2) continue;
      std::stable_sort(values.begin(), values.end(),
                       [](const auto& a, const auto& b) { return a.second->size() > b.second->size(); });
      DriftedFact made;
      made.device = model;
      made.field = field;
      made.must_match = must_match(fact.role);
      for (const auto& [value, runs] : values) made.of += runs->size();
      const std::size_t most = values.front().second->size();
      made.majority = 2 * most > made.of;
      if (!made.majority && !speaks_without_majority(field, fact.role, most)) continue;
      if (made.majority) {
        made.usual = values.front().first;
        made.runs = most;
        values.erase(values.begin());
      }
      for (const auto& [value, runs] : values) made.odd.push_back({value, runs->size(), labels_of(*runs)});
      out.push_back(std::move(made));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const DriftedFact& a, const DriftedFact& b) {
    return std::tuple(!a.must_match, a.field) < std::tuple(!b.must_match, b.field);
  });
  return out;
}

}  // namespace gpugauge::judge
