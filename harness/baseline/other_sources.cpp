// Parts of runs that may be compared although other parts may not.
#include "baseline/other_sources.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gpugauge::baseline {
namespace {

constexpr std::string_view prefix = "suite.source_hash.";

/// The hashes that the runs of a side have of each family.
std::map<std::string, std::set<std::string>> hashes_of(const std::vector<result::Run>& runs) {
  std::map<std::string, std::set<std::string>> out;
  for (const result::Run& run : runs)
    for (const auto& [name, value] : run.fingerprint.suite)
      if (std::string family = family_of_sources(name); !family.empty()) out[std::move(family)].insert(value);
  return out;
}

}  // namespace

std::string family_of_sources(std::string_view field) {
  return field.starts_with(prefix) ? std::string(field.substr(prefix.size())) : "";
}

std::vector<std::string> families_of_other_sources(const std::vector<result::Run>& now,
                                                   const std::vector<result::Run>& then) {
  std::vector<std::string> out;
  const auto there = hashes_of(then);
  bool alike = false;
  for (const auto& [family, hashes] : hashes_of(now)) {
    const auto found = there.find(family);
    if (found == there.end()) continue;
    if (hashes.size() == 1 && hashes == found->second)
      alike = true;
    else
      out.push_back(family);
  }
  if (!alike) out.clear();
  return out;
}

std::vector<result::Run> without_families(std::vector<result::Run> runs,
                                          const std::vector<std::string>& families) {
  const auto named = [&](const std::string& family) {
    return std::find(families.begin(), families.end(), family) != families.end();
  };
  for (result::Run& run : runs) {
    std::erase_if(run.processes, [&](const result::Process& process) { return named(process.family); });
    std::erase_if(run.fingerprint.suite,
                  [&](const auto& fact) { return named(family_of_sources(fact.first)); });
  }
  return runs;
}

void leave_out_other_sources(const std::vector<result::Run>& now, Baseline& baseline) {
  baseline.left_out = families_of_other_sources(now, baseline.runs);
  if (!baseline.left_out.empty())
    baseline.runs = without_families(std::move(baseline.runs), baseline.left_out);
}

}  // namespace gpugauge::baseline
