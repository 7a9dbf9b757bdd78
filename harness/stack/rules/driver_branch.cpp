// Judges driver branches by date and policy.
#include "stack/rules/driver_branch.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "result/number.hpp"
#include "stack/plan/plan_fit.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {
namespace {

constexpr int soon_days = 90;
constexpr const char* long_term = "long-term support";
constexpr const char* new_feature = "new feature";

/// Parses "2026-11-21" or "2026-11", the last day of that month; nullopt for other text.
std::optional<std::chrono::sys_days> day_of(const std::string& text) {
  namespace chrono = std::chrono;
  const auto part = [&](std::size_t at, std::size_t size) {  // -1 is invalid in any calendar
    const auto value =
        at + size <= text.size() ? result::number_in<double>(text.substr(at, size)) : std::nullopt;
    return static_cast<int>(value.value_or(-1));
  };
  const auto unsigned_part = [&](std::size_t at) { return static_cast<unsigned>(std::max(part(at, 2), 0)); };
  if (text.size() < 7 || text[4] != '-' || part(0, 4) < 0) return std::nullopt;
  const chrono::year_month month = chrono::year{part(0, 4)} / chrono::month{unsigned_part(5)};
  if (text.size() == 7)
    return month.ok() ? std::optional(chrono::sys_days{month / chrono::last}) : std::nullopt;
  if (text.size() != 10 || text[7] != '-') return std::nullopt;
  const chrono::year_month_day date = month / chrono::day{unsigned_part(8)};
  return date.ok() ? std::optional(chrono::sys_days{date}) : std::nullopt;
}

bool drives(const Tables& tables, const DriverBranch& branch, const Version& capability) {
  const Architecture* const row = tables.architecture(capability);
  if (row == nullptr) return true;
  if (row->last_driver_branch && branch.branch > *row->last_driver_branch) return false;
  return !row->first_driver || branch.branch >= row->first_driver->major();
}

}  // namespace

bool has_ended(const DriverBranch& branch, const std::string& today) {
  const auto end = day_of(branch.end_of_life);
  const auto now = day_of(today);
  return branch.ended || (end && now && *end < *now);
}

std::string branch_text(const DriverBranch& branch) {
  return fmt::format("{}, {}", branch.kind.empty() ? "of unknown kind" : branch.kind,
                     branch.end_of_life.empty() ? "end of life unknown"
                     : branch.counted           ? "for which NVIDIA states no end of life"
                                                : "end of life " + branch.end_of_life);
}

std::string branch_advice(const DriverBranch* branch, const std::vector<Version>& capabilities,
                          Policy policy) {
  if (branch == nullptr)
    return fmt::format("The tables know no {}branch that reaches it{} and still gets fixes.",
                       policy == Policy::production ? "long-term or production " : "",
                       capabilities.empty() ? "" : ", drives these GPUs");
  std::string text = fmt::format("Take branch {} ({})", branch->branch, branch_text(*branch));
  if (branch->latest)
    text += fmt::format("; its newest release known to the tables is {}", driver_text(*branch->latest));
  return text + ".";
}

namespace {

std::string end_text(const DriverBranch& branch) {
  if (branch.end_of_life.empty()) return "end of life stated by NVIDIA, without a date";
  if (!branch.counted) return "end of life " + branch.end_of_life;
  return fmt::format("{}; a year from its release ended {}",
                     branch.ended ? "NVIDIA states it as ended" : "NVIDIA states no end of life",
                     branch.end_of_life);
}

std::string end_title(const DriverBranch& branch, bool ended, long days) {
  if (!ended) return fmt::format("Driver branch {} gets fixes for {} more days", branch.branch, days);
  // NVIDIA states no date; we only know that the branch is past the usual support period.
  if (branch.counted && !branch.ended)
    return fmt::format("Driver branch {} is past the year for which such a branch gets fixes", branch.branch);
  return fmt::format("Driver branch {} gets no more fixes", branch.branch);
}

}  // namespace

std::optional<Finding> branch_end_finding(const DriverBranch& branch, const std::string& today) {
  const auto end = day_of(branch.end_of_life);
  const auto now = day_of(today);
  const auto days = end && now ? (*end - *now).count() : soon_days + 1;
  const bool ended = has_ended(branch, today);
  if (!ended && (days > soon_days || branch.counted)) return std::nullopt;
  Finding finding = make_finding(
      ended ? Cause("driver_branch_ended") : Cause("driver_branch_ends_soon"),
      weighed(ended ? Severity::warning : Severity::note, branch.source), end_title(branch, ended, days),
      "A branch that has ended gets neither fixes nor security updates, and supports no newer GPU, kernel or "
      "CUDA.");
  finding.evidence = {fmt::format("branch {} ({}): {}", branch.branch,
                                  branch.kind.empty() ? "unknown kind" : branch.kind, end_text(branch))};
  finding.next = {"Plan the step to a long-term or production branch (docs/compatibility.md lists them)"};
  finding.sources = {cited(branch.source)};
  finding.layers = {"driver"};
  return finding;
}

std::optional<Finding> branch_kind_finding(const DriverBranch& branch, Policy policy) {
  if (policy != Policy::production || branch.kind.empty()) return std::nullopt;
  if (branch.kind == long_term || branch.kind == "legacy") return std::nullopt;
  Finding finding = make_finding(
      Cause("driver_not_long_term"), weighed(Severity::warning, branch.source),
      fmt::format("Driver branch {} is a {} branch, not a long-term one", branch.branch, branch.kind),
      branch.kind == new_feature
          ? "A new-feature branch gets fixes for a short time and is not meant for production."
          : "A production branch gets fixes for about a year; a long-term branch gets them for three.");
  finding.next = {"For production take the newest long-term branch that drives these GPUs"};
  finding.sources = {cited(branch.source)};
  finding.layers = {"driver"};
  return finding;
}

bool suits(const Tables& tables, const DriverBranch& branch, const std::vector<Version>& capabilities,
           Policy policy) {
  if (policy == Policy::production && branch.kind != long_term && branch.kind != "production") return false;
  return std::all_of(capabilities.begin(), capabilities.end(),
                     [&](const Version& capability) { return drives(tables, branch, capability); });
}

const DriverBranch* advised_branch(const Tables& tables, const Version& needed,
                                   const std::vector<Version>& capabilities, Policy policy,
                                   const std::string& today) {
  const auto rank = [&](const DriverBranch& branch) {
    if (policy == Policy::development) return 0;
    return branch.kind == long_term ? 0 : 1;
  };
  const DriverBranch* best = nullptr;
  for (const DriverBranch& branch : tables.driver_branches) {
    if (!suits(tables, branch, capabilities, policy) || branch.branch < needed.major() ||
        has_ended(branch, today) || branch.kind == "legacy")
      continue;
    // A branch whose newest release is too old does not help.
    if (branch.branch == needed.major() && branch.latest && *branch.latest < needed) continue;
    if (best == nullptr || rank(branch) < rank(*best) ||
        (rank(branch) == rank(*best) && branch.branch < best->branch))
      best = &branch;
  }
  return best;
}

}  // namespace gpugauge::stack
