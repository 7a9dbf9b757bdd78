#include "stack/plan/plan_policy.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/rules/driver_branch.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {
namespace {

/// " Take branch 580 (long-term support, end of life 2028-06); ... Branch 575 has ended."
std::string advice(const Tables& tables, const DriverBranch* branch, const Version& needed,
                   const Planned& planned, const PlanTerms& terms) {
  const bool production = terms.policy == Policy::production;
  std::string text = " " + branch_advice(branch, planned.capabilities, terms.policy);
  const DriverBranch* const asked = tables.branch(needed);
  if (branch == nullptr || asked == nullptr || asked == branch) return text;
  if (has_ended(*asked, terms.today))
    text += fmt::format(" Branch {} has ended.", asked->branch);
  else if (production && !asked->kind.empty())
    text += fmt::format(" Branch {} is a {} branch.", asked->branch, asked->kind);
  return text;
}

/// Keys whose version names a series of releases instead of one. Compilers and interpreters are chosen by
/// series, so they do not count.
std::vector<std::string> unpinned(const PlanRequest& request) {
  std::vector<std::string> found;
  for (const auto& [key, version] : request.versions) {
    if (key == "vgpu_host" || key == "gcc" || key == "clang" || key == "python" ||
        (key == "driver" && request.driver_given))
      continue;
    const std::size_t whole = key == "driver" ? 2 : 3;
    if (version.size() < whole) found.push_back(fmt::format("{}={}", key, version.text()));
  }
  return found;
}

}  // namespace

std::vector<Finding> judge_branches(const PlanRequest& request, const Planned& planned, const Tables& tables,
                                    const PlanTerms& terms, std::vector<PairFit>& pairs) {
  const auto advised = [&](const Version& needed) {
    return advised_branch(tables, needed, planned.capabilities, terms.policy, terms.today);
  };
  for (PairFit& pair : pairs) {
    if (!pair.driver_needed || pair.fit == Fit::works || tables.driver_branches.empty()) continue;
    pair.remedy += advice(tables, advised(*pair.driver_needed), *pair.driver_needed, planned, terms);
  }
  std::vector<Finding> findings;
  const DriverBranch* const branch = planned.driver ? tables.branch(*planned.driver) : nullptr;
  if (branch != nullptr) {
    const ToolkitDriver* const native = planned.cuda ? tables.native_driver(planned.cuda->first(2)) : nullptr;
    const DriverBranch* const better =
        advised(native != nullptr ? native->native_driver : Version({branch->branch}));
    for (const auto& finding :
         {branch_end_finding(*branch, terms.today), branch_kind_finding(*branch, terms.policy)}) {
      if (!finding) continue;
      findings.push_back(*finding);
      if (better == nullptr || better == branch) continue;
      std::vector<std::string> also;
      if (!planned.capabilities.empty()) also.emplace_back("drives these GPUs");
      if (native != nullptr) also.push_back("reaches CUDA " + planned.cuda->first(2).text());
      findings.back().next = {fmt::format("Take branch {} ({}){}{}", better->branch, branch_text(*better),
                                          also.empty() ? "" : ", which ", fmt::join(also, " and "))};
    }
  }
  const std::vector<std::string> loose = unpinned(request);
  if (terms.policy == Policy::production && !loose.empty()) {
    Finding finding = make_finding(Cause("plan_not_pinned"), Severity::warning,
                                   "The plan names lines of releases, not releases",
                                   "What is installed by such a name is another release tomorrow, and two "
                                   "nodes that follow this plan on "
                                   "different days are not alike.");
    finding.evidence = loose;
    finding.next = {"Name each release in full, then write the stack down: gpugauge doctor lock"};
    finding.layers = {"driver"};
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace gpugauge::stack
