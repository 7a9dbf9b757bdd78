#include <algorithm>
#include <string_view>

#include "baseline/fields.hpp"
#include "judge/admit.hpp"

namespace gpugauge::judge {
namespace {

/// The runs that count, and their number.
class Counted {
 public:
  Counted(const std::vector<std::string>& runs, const std::set<std::string>& without) : counts_(runs.size()) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      counts_[i] = !without.contains(runs[i]);
      all_ += counts_[i] ? 1 : 0;
    }
  }
  std::size_t all() const { return all_; }
  std::size_t of(const std::vector<std::uint32_t>& places) const {
    return static_cast<std::size_t>(
        std::count_if(places.begin(), places.end(), [&](std::uint32_t place) { return counts_[place]; }));
  }

 private:
  std::vector<bool> counts_;
  std::size_t all_ = 0;
};

}  // namespace

void UsualFacts::add(const std::string& kind, const std::string& run,
                     const result::Fingerprint& fingerprint) {
  const std::lock_guard lock(mutex_);
  Kind& kept = kinds_[kind];
  const auto place = static_cast<std::uint32_t>(kept.runs.size());
  kept.runs.push_back(run);
  for (const baseline::Section& section : baseline::sections)
    for (const auto& [name, value] : fingerprint.*section.facts)
      kept.having[std::string(section.name)][name][value].push_back(place);
}

result::Fingerprint UsualFacts::usual(const std::string& kind, const std::set<std::string>& without) const {
  const std::lock_guard lock(mutex_);
  result::Fingerprint out;
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return out;
  const Counted counted(found->second.runs, without);
  for (const baseline::Section& section : baseline::sections) {
    const auto facts = found->second.having.find(std::string(section.name));
    if (facts == found->second.having.end()) continue;
    for (const auto& [name, values] : facts->second)
      for (const auto& [value, runs] : values)
        if (2 * counted.of(runs) > counted.all()) (out.*section.facts)[name] = value;
  }
  return out;
}

UsualFacts::Usual UsualFacts::of(const std::string& kind, const std::string& field,
                                 const std::set<std::string>& without) const {
  const std::lock_guard lock(mutex_);
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return {};
  const Counted counted(found->second.runs, without);
  Usual out;
  out.of = counted.all();
  const std::size_t dot = field.find('.');
  const std::string section = field.substr(0, dot);
  const auto facts = found->second.having.find(section);
  if (dot == std::string::npos || facts == found->second.having.end()) return out;
  for (const std::string& name : {field.substr(dot + 1), field}) {
    const auto values = facts->second.find(name);
    if (values == facts->second.end() || baseline::field_name(section, name) != field) continue;
    for (const auto& [value, runs] : values->second)
      if (const std::size_t having = counted.of(runs); 2 * having > counted.all())
        out = {value, having, counted.all()};
  }
  return out;
}

}  // namespace gpugauge::judge
