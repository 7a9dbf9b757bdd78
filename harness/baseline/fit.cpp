// Compares a run's fingerprint with a baseline's, as a whole.
#include "baseline/fit.hpp"

#include <algorithm>
#include <utility>

#include "baseline/card.hpp"
#include "baseline/fields.hpp"
#include "baseline/other_sources.hpp"
#include "baseline/places.hpp"
#include "result/device_kind.hpp"
#include "result/run_file.hpp"

namespace gpugauge::baseline {
namespace {

/// Whether both sides measured a family with the same sources.
bool share_sources(const result::Fingerprint& a, const result::Fingerprint& b) {
  return std::any_of(a.suite.begin(), a.suite.end(), [&](const auto& fact) {
    const auto other = b.suite.find(fact.first);
    return !family_of_sources(fact.first).empty() && other != b.suite.end() && other->second == fact.second;
  });
}

}  // namespace

bool of_other_version(Fit fit) {
  return fit == Fit::other_suite || fit == Fit::part_of_suite;
}

Rank rank_of(bool this_node, Fit fit) {
  return {!of_other_version(fit), this_node, fit};
}

bool share_a_family(const result::Fingerprint& a, const result::Fingerprint& b) {
  return std::any_of(a.suite.begin(), a.suite.end(), [&](const auto& fact) {
    return !family_of_sources(fact.first).empty() && b.suite.count(fact.first) > 0;
  });
}

bool of_another_machine(const result::Fingerprint& now, const std::string& device,
                        const result::Fingerprint& then, const std::string& pinned) {
  if (!device.empty() && result::device_kind(device) == result::DeviceKind::gpu) return pinned != device;
  return !same_node(now, then);
}

std::vector<Mismatch> fields_between(const result::Fingerprint& now, const result::Fingerprint& then,
                                     bool own, const std::string& device, const std::string& pinned) {
  const auto [here, there] = about_cards(now, device, then, pinned);
  std::vector<Mismatch> fields = mismatches(here, there);
  // `device` names the card; without it all cards of the node must be the same.
  if (own && device.empty())
    for (Mismatch& field : differences(now, then, {Role::identity})) fields.push_back(std::move(field));
  return fields;
}

Fit fit_of(const result::Fingerprint& now, const result::Fingerprint& then,
           const std::vector<Mismatch>& fields, std::string_view place) {
  if (fields.empty()) return Fit::full;
  if (place == "shipped") return Fit::no;
  Fit fit = Fit::other_stack;
  for (const Mismatch& field : fields) {
    if (!family_of_sources(field.field).empty())
      fit = share_sources(now, then) ? Fit::part_of_suite : Fit::other_suite;
    else if (place != "own" || !field.field.starts_with("stack."))
      return Fit::no;
  }
  return fit;
}

}  // namespace gpugauge::baseline
