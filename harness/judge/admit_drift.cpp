#include "judge/admit_drift.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/fields.hpp"
#include "result/facts.hpp"

namespace gpugauge::judge {

std::vector<Drift> incomparable(const result::Fingerprint& here, const PeerKind& kind, const Policy& policy) {
  std::vector<Drift> out;
  for (const baseline::Mismatch& field : baseline::mismatches(here, fingerprint_of(kind))) {
    const bool declared =
        std::any_of(policy.treatment.begin(), policy.treatment.end(),
                    [&](const std::string& word) { return baseline::covers(word, field.field); });
    out.push_back({field.field, field.now, field.then, kind.size(), kind.size(), declared, true});
  }
  return out;
}

bool comparable(const std::vector<Drift>& drift) {
  return std::all_of(drift.begin(), drift.end(), [](const Drift& one) { return one.declared; });
}

void add_noted(const result::Fingerprint& here, const std::string& kind, const UsualFacts& usual,
               const std::set<std::string>& own, std::vector<Drift>& out) {
  const result::Fingerprint most = usual.usual(kind, own);
  for (const baseline::Mismatch& field : baseline::differences(here, most, {baseline::Role::noted})) {
    const UsualFacts::Usual found = usual.of(kind, field.field, own);
    // A fact without a usual value differs between all nodes and is no evidence against one.
    if (found.value.empty()) continue;
    out.push_back({field.field, field.now, found.value, found.runs, found.of, false, false});
  }
}

std::string some_drift(const std::vector<Drift>& drift) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> parts;
  for (const Drift& one : drift)
    if (!one.declared)
      parts.push_back(fmt::format("{} is {} here and {} there", one.field, result::or_absent(one.here),
                                  result::or_absent(one.usual)));
  const std::size_t more = parts.size() > shown ? parts.size() - shown : 0;
  parts.resize(parts.size() - more);
  return fmt::format("{}{}", fmt::join(parts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace gpugauge::judge
