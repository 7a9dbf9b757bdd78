#include "cli/baseline_replaced.hpp"

#include <fmt/format.h>

#include "baseline/baseline.hpp"
#include "judge/baseline_change.hpp"
#include "judge/reasons.hpp"
#include "report/format.hpp"
#include "result/error.hpp"

namespace gpugauge::cli {
namespace {

/// `check` looks into this folder for itself.
bool among_own(const std::filesystem::path& folder) {
  std::error_code error;
  const auto parent = std::filesystem::weakly_canonical(folder, error).parent_path();
  return parent == std::filesystem::weakly_canonical(baseline::state_directory() / "baselines", error);
}

bool can_decide(std::size_t rounds) {
  return rounds >= static_cast<std::size_t>(baseline::minimum_rounds);
}

}  // namespace

std::string against_replaced(const std::filesystem::path& folder, const std::vector<result::Run>& runs,
                             const std::string& reason, const std::string& kept) {
  if (!among_own(folder)) return "";
  const result::Run& first = runs.front();
  const baseline::Selection found = baseline::select({}, first.fingerprint, first.device);
  if (!found.baseline || found.baseline->other_node) return "";
  const baseline::Baseline& before = *found.baseline;
  if (can_decide(before.runs.size()) && !can_decide(runs.size())) return "";
  baseline::Baseline now;
  now.manifest.device = first.device;
  now.runs = runs;
  const judge::BaselineChange change = judge::change_between(before, now);
  std::vector<std::string> other;
  for (const baseline::Mismatch& field : baseline::mismatches(first, before.runs.front()))
    other.push_back(field.field);
  const std::string name = report::plain(before.manifest.name);
  const std::string said = report::plain(judge::in_words(change));
  if (change.is_slower() && other.empty() && reason.empty())
    throw result::UsageError(fmt::format(
        "these rounds are slower than baseline {}, whose place they would take: {}. No baseline was made{}. "
        "If the loss is to be the norm from now on, say why with --reason TEXT; --candidate keeps them "
        "without using them",
        name, said, kept));
  // Families of other sources are compared with nothing, and refuse nothing.
  std::vector<std::string> differs = other;
  for (const std::string& family : before.left_out) differs.push_back("the sources of " + family);
  return fmt::format("against {}{}: {}", name,
                     differs.empty() ? "" : ", from which these rounds differ in " + judge::some_of(differs),
                     said);
}

}  // namespace gpugauge::cli
