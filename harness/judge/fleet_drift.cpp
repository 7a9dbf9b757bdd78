#include "judge/fleet_drift.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "baseline/fields.hpp"

namespace gpugauge::judge {
namespace {

constexpr std::size_t labels_kept = 8;

struct CountedSection {
  const char* name;
  result::Facts result::Fingerprint::*facts;
};
constexpr std::array counted_sections{CountedSection{"device", &result::Fingerprint::device},
                                      CountedSection{"settings", &result::Fingerprint::settings},
                                      CountedSection{"stack", &result::Fingerprint::stack},
                                      CountedSection{"suite", &result::Fingerprint::suite},
                                      CountedSection{"topology", &result::Fingerprint::topology}};

std::string device_model(const result::Run& run) {
  const std::string_view kind = result::device_kind(run.device);
  const auto named = [&](const char* name) {
    const auto found = run.fingerprint.device.find(name);
    return found == run.fingerprint.device.end() ? std::string("unknown") : found->second;
  };
  if (kind == "host") return named("host.cpu_model");
  return kind == "links" ? "links between " + named("gpu.0.name") : named("gpu.0.name");
}

}  // namespace

void FleetDrift::add(const result::Run& run, const std::string& label) {
  const std::string device = device_model(run);
  const std::lock_guard lock(mutex_);
  auto& facts = devices_[device];
  for (const CountedSection& section : counted_sections)
    for (const auto& [name, value] : run.fingerprint.*section.facts) {
      const std::string prefix = std::string(section.name) + ".";
      const auto [place, added] = facts.try_emplace(name.starts_with(prefix) ? name : prefix + name);
      Fact& fact = place->second;
      if (added) {
        const baseline::Role role = baseline::role_of(section.name, name);
        fact.identity = role == baseline::Role::identity;
        fact.must_match = role == baseline::Role::must || role == baseline::Role::must_in_common;
      }
      if (fact.identity) continue;
      ++fact.runs;
      Count& count = fact.values[value];
      ++count.runs;
      if (count.labels.size() < labels_kept || label < *count.labels.rbegin()) count.labels.insert(label);
      if (count.labels.size() > labels_kept) count.labels.erase(std::prev(count.labels.end()));
    }
}

std::vector<DriftedFact> FleetDrift::facts() const {
  std::vector<DriftedFact> out;
  for (const auto& [device, facts] : devices_)
    for (const auto& [field, fact] : facts) {
      if (fact.values.size() < 2) continue;
      const auto usual =
          std::max_element(fact.values.begin(), fact.values.end(),
                           [](const auto& a, const auto& b) { return a.second.runs < b.second.runs; });
      // What has no usual value tells nodes apart and speaks against none of them.
      if (2 * usual->second.runs <= fact.runs) continue;
      DriftedFact made{device, field, fact.must_match, usual->first, usual->second.runs, fact.runs, {}};
      for (const auto& [value, count] : fact.values)
        if (value != usual->first)
          made.odd.push_back({value, count.runs, {count.labels.begin(), count.labels.end()}});
      std::stable_sort(made.odd.begin(), made.odd.end(),
                       [](const OddValue& a, const OddValue& b) { return a.runs > b.runs; });
      out.push_back(std::move(made));
    }
  std::stable_sort(out.begin(), out.end(), [](const DriftedFact& a, const DriftedFact& b) {
    return std::tuple(!a.must_match, a.field) < std::tuple(!b.must_match, b.field);
  });
  return out;
}

}  // namespace gpugauge::judge
