#include <array>
#include <string_view>

#include "judge/admit.hpp"

namespace gpugauge::judge {
namespace {

struct Section {
  const char* name;
  result::Facts result::Fingerprint::*facts;
};
constexpr std::array sections{
    Section{"device", &result::Fingerprint::device}, Section{"settings", &result::Fingerprint::settings},
    Section{"stack", &result::Fingerprint::stack}, Section{"suite", &result::Fingerprint::suite},
    Section{"topology", &result::Fingerprint::topology}};

}  // namespace

void UsualFacts::add(const std::string& kind, const result::Fingerprint& fingerprint) {
  const std::lock_guard lock(mutex_);
  Kind& kept = kinds_[kind];
  ++kept.runs;
  for (const Section& section : sections)
    for (const auto& [name, value] : fingerprint.*section.facts) ++kept.counts[section.name][name][value];
}

result::Fingerprint UsualFacts::usual(const std::string& kind) const {
  const std::lock_guard lock(mutex_);
  result::Fingerprint out;
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return out;
  for (const Section& section : sections) {
    const auto facts = found->second.counts.find(section.name);
    if (facts == found->second.counts.end()) continue;
    for (const auto& [name, values] : facts->second)
      for (const auto& [value, runs] : values)
        if (2 * runs > found->second.runs) (out.*section.facts)[name] = value;
  }
  return out;
}

UsualFacts::Usual UsualFacts::of(const std::string& kind, const std::string& field) const {
  const std::lock_guard lock(mutex_);
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return {};
  Usual out;
  out.of = found->second.runs;
  const std::size_t dot = field.find('.');
  const std::string section = field.substr(0, dot);
  const auto facts = found->second.counts.find(section);
  if (dot == std::string::npos || facts == found->second.counts.end()) return out;
  // A fact of the suite keeps the section's name in its own: "suite.version".
  for (const std::string& name : {field.substr(dot + 1), field}) {
    const auto values = facts->second.find(name);
    if (values == facts->second.end()) continue;
    for (const auto& [value, runs] : values->second)
      if (2 * runs > found->second.runs) out = {value, runs, found->second.runs};
  }
  return out;
}

}  // namespace gpugauge::judge
