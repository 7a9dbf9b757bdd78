// Maps verdicts to the exit code.
//
//   finding                                            code
//   a metric failed, regressed or is missing           1     whatever else
//   interrupted, a required family unmeasured,
//   a pinned baseline that cannot be read,
//   no judge applicable, or no verdict at all, or a
//   large drop that too few rounds confirm, or any
//   that other processes on the GPU may have made,
//   or families that the reference's version measured
//   otherwise                                           3
//   inconclusive or unstable, with --strict            4
//   inconclusive or unstable                           0     counted in the sentence
//   ok, new, improved, and everything advisory         0     new, improved and advisory are mentioned
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/judge.hpp"
#include "judge/reasons.hpp"
#include "result/counted.hpp"

namespace gpugauge::judge {
namespace {

/// Gravest first.
constexpr std::array order{
    VerdictKind::failed,       VerdictKind::regressed,  VerdictKind::missing,  VerdictKind::unstable,
    VerdictKind::inconclusive, VerdictKind::new_metric, VerdictKind::improved, VerdictKind::ok};

std::ptrdiff_t gravity(VerdictKind kind) {
  return order.end() - std::find(order.begin(), order.end(), kind);
}

bool within(const Verdict& verdict) {
  return verdict.kind == VerdictKind::ok || verdict.kind == VerdictKind::improved;
}

/// The verdicts on one metric.
struct Said {
  const Verdict* counted = nullptr;   ///< the gravest that counts
  const Verdict* advisory = nullptr;  ///< the gravest advisory one
  bool held = false;                  ///< a judge other than the physical one found it within tolerance

  /// The verdict against the metric that does not count, even beside another judge's ok; nullptr if there is
  /// none. A missing physical peak is no evidence about comparisons.
  const Verdict* in_doubt() const {
    if (advisory == nullptr || advisory->kind == VerdictKind::ok) return nullptr;
    if (counted == nullptr) return advisory;
    return within(*counted) && !held && advisory->judge != Judge::physical ? advisory : nullptr;
  }
};

std::map<std::string, Said> by_metric(const std::vector<Verdict>& verdicts) {
  std::map<std::string, Said> out;
  for (const Verdict& verdict : verdicts) {
    Said& said = out[verdict.metric];
    const Verdict*& kept = verdict.advisory ? said.advisory : said.counted;
    if (kept == nullptr || gravity(verdict.kind) > gravity(kept->kind)) kept = &verdict;
    said.held = said.held || (within(verdict) && !verdict.advisory && verdict.judge != Judge::physical);
  }
  return out;
}

/// A drop beyond noise that no round on a free GPU, or too few rounds, confirm as a regression. Of the latter even the better end of its interval is
/// worse by twice the tolerance, and by more than the noise of these rounds hides.
bool unconfirmed_drop(const Verdict& verdict) {
  if (verdict.kind != VerdictKind::inconclusive || verdict.advisory) return false;
  if (verdict.beside_others) return true;
  if (verdict.judge == Judge::physical || !verdict.change || !verdict.interval) return false;
  const double least = *verdict.change - *verdict.interval;
  return least > 2 * verdict.tolerance && least > verdict.minimum_detectable_drop.value_or(0);
}

/// Inconclusive, with an estimate beyond the tolerance.
bool is_worse_open(const Verdict& verdict) {
  return verdict.kind == VerdictKind::inconclusive && verdict.change && *verdict.change > verdict.tolerance;
}

struct Count {
  std::vector<const Verdict*> unconfirmed;  ///< see unconfirmed_drop; by metric
  const Verdict* worst_open = nullptr;      ///< the inconclusive verdict furthest beyond its tolerance
  std::map<VerdictKind, std::vector<std::string>> metrics;   ///< counted verdicts
  std::map<VerdictKind, std::vector<std::string>> advisory;  ///< advisory, not ok, and a finding
  int accepted = 0;                                          ///< a change that a person accepted
  int unknown = 0;                                           ///< advisory and not ok otherwise
  int held = 0;    ///< within tolerance, and within limits where there are any
  int limits = 0;  ///< within limits, and compared with no reference
  int all = 0;
  bool compared = false;  ///< a judge held something against what was measured elsewhere or before

  int of(VerdictKind kind) const {
    const auto found = metrics.find(kind);
    return found == metrics.end() ? 0 : static_cast<int>(found->second.size());
  }
};

/// A new metric was held against nothing.
bool compares(const Verdict& verdict) {
  return verdict.judge != Judge::physical && verdict.kind != VerdictKind::new_metric;
}

Count count(const std::vector<Verdict>& verdicts) {
  Count out;
  out.compared = std::any_of(verdicts.begin(), verdicts.end(), compares);
  for (const auto& [metric, said] : by_metric(verdicts)) {
    ++out.all;
    if (said.counted != nullptr) out.metrics[said.counted->kind].push_back(metric);
    if (said.counted != nullptr && unconfirmed_drop(*said.counted)) out.unconfirmed.push_back(said.counted);
    if (said.counted != nullptr && is_worse_open(*said.counted) &&
        (out.worst_open == nullptr || *said.counted->change > *out.worst_open->change))
      out.worst_open = said.counted;
    if (const Verdict* doubt = said.in_doubt(); doubt != nullptr) {
      if (doubt->accepted)
        ++out.accepted;
      else if (grave(*doubt))
        out.advisory[doubt->kind].push_back(metric);
      else
        ++out.unknown;
    } else if (said.counted == nullptr) {
      ++out.unknown;  // within limits, by a judge that does not count
    } else if (within(*said.counted)) {
      ++(said.held ? out.held : out.limits);
    }
  }
  return out;
}

/// The gravest kind that ends with code 1; nullopt where there is none.
std::optional<VerdictKind> gravest_found(const Count& counts) {
  for (const VerdictKind kind : fatal_kinds)
    if (counts.of(kind) > 0) return kind;
  return std::nullopt;
}

/// "failed: 1, regressed: 3 of 42 metrics (a, b and 2 more)".
std::string findings(const Count& counts) {
  std::vector<std::string> parts;
  std::vector<std::string> names;
  for (const VerdictKind kind : fatal_kinds) {
    if (counts.of(kind) == 0) continue;
    parts.push_back(fmt::format("{}: {}", to_string(kind), counts.of(kind)));
    const auto& found = counts.metrics.at(kind);
    names.insert(names.end(), found.begin(), found.end());
  }
  return fmt::format("{} of {} ({})", fmt::join(parts, ", "), result::counted(counts.all, "metric"),
                     some_of(names));
}

/// "2 metrics are far worse (a by 50.1%, b by 12.0%)", with the word that is given.
std::string worse(const char* word, const std::vector<const Verdict*>& verdicts) {
  std::vector<std::string> names;
  names.reserve(verdicts.size());
  for (const Verdict* verdict : verdicts)
    names.push_back(fmt::format("{} by {}", verdict->metric, percent(*verdict->change)));
  return fmt::format("{} {} {} ({})", result::counted(names.size(), "metric"),
                     names.size() == 1 ? "is" : "are", word, some_of(names));
}

/// Kinds that pass and are mentioned, in the order of the sentence.
constexpr std::array mentioned_kinds{VerdictKind::unstable, VerdictKind::inconclusive,
                                     VerdictKind::new_metric, VerdictKind::improved};

/// Results that pass and are mentioned: "; 2 inconclusive, 1 improved".
std::string also(const Count& counts) {
  std::vector<std::string> parts;
  for (const VerdictKind kind : mentioned_kinds) {
    if (counts.of(kind) == 0) continue;
    parts.push_back(fmt::format("{} {}", counts.of(kind), to_string(kind)));
    if (kind == VerdictKind::inconclusive && counts.worst_open != nullptr)
      parts.back() += fmt::format(" ({}{}, {} worse, not confirmed)", counts.of(kind) > 1 ? "worst: " : "",
                                  counts.worst_open->metric, percent(*counts.worst_open->change));
  }
  for (const auto& [kind, metrics] : counts.advisory)
    parts.push_back(fmt::format("{} {}, which is advisory", metrics.size(), to_string(kind)));
  if (counts.accepted > 0) parts.push_back(fmt::format("{} accepted", counts.accepted));
  if (counts.unknown > 0) parts.push_back(fmt::format("{} too noisy or unknown to count", counts.unknown));
  return parts.empty() ? "" : fmt::format("; {}", fmt::join(parts, ", "));
}

/// "40 of 45 metrics within tolerance and limits, 2 within limits". Limits alone do not imply the tolerance.
std::string held_of(const Count& counts) {
  const std::string all = result::counted(counts.all, "metric");
  if (counts.held == 0 && counts.limits > 0) return fmt::format("{} of {} within limits", counts.limits, all);
  return fmt::format("{} of {} within tolerance and limits{}", counts.held, all,
                     counts.limits > 0 ? fmt::format(", {} within limits", counts.limits) : "");
}

/// The table at the head of this file.
Outcome decide(const OutcomeInput& input, const Count& counts) {
  const int undecided = counts.of(VerdictKind::inconclusive) + counts.of(VerdictKind::unstable);
  if (const std::optional<VerdictKind> found = gravest_found(counts))
    return {ExitCode::regressed,
            findings(counts) + also(counts) +
                (!input.not_kept.empty() ? "; not everything that was measured could be kept"
                 : input.interrupted     ? "; interrupted before everything was measured"
                                         : ""),
            true, found};
  if (!input.not_kept.empty())
    return {ExitCode::cannot_judge, fmt::format("cannot judge: {}{}", input.not_kept, also(counts))};
  if (input.interrupted)
    return {ExitCode::cannot_judge,
            fmt::format("cannot judge: interrupted before everything was measured{}", also(counts))};
  if (!input.unmeasured_families.empty())
    return {ExitCode::cannot_judge,
            fmt::format("cannot judge: {} not measured: {}",
                        result::counted(input.unmeasured_families.size(), "family was", "families were"),
                        fmt::join(input.unmeasured_families, "; "))};
  if (!input.unusable_baseline.empty())
    return {ExitCode::cannot_judge,
            fmt::format("cannot judge: the baseline of this machine cannot be used: {}{}",
                        input.unusable_baseline, also(counts))};
  if (!input.judged)
    return {
        ExitCode::cannot_judge,
        fmt::format("cannot judge: {}", input.not_comparable.empty() ? "nothing to judge the measurement by"
                                                                     : input.not_comparable)};
  if (counts.all == 0)
    return {ExitCode::cannot_judge, "cannot judge: nothing was measured that can be judged"};
  if (!counts.unconfirmed.empty()) {
    const bool all_beside = std::all_of(counts.unconfirmed.begin(), counts.unconfirmed.end(),
                                        [](const Verdict* verdict) { return verdict->beside_others; });
    return {
        ExitCode::cannot_judge,
        fmt::format("cannot judge: {}, and {}", worse(all_beside ? "worse" : "far worse", counts.unconfirmed),
                    all_beside ? "other processes used the GPU: measure again when it is free"
                               : "too few rounds were measured to confirm it: measure again")};
  }
  const std::string held = held_of(counts) + also(counts);
  if (!input.left_out.empty())
    return {ExitCode::cannot_judge,
            fmt::format("cannot judge: {}; apart from that {}", input.left_out, held)};
  if (undecided > 0 && input.strict) return {ExitCode::inconclusive, "inconclusive: " + held};
  // What was shown and excused was decided. What noise hides would have shown a larger drop. Limits tell nothing of
  // what a comparison was asked for: of a GPU some are kept always.
  const int decided = counts.held + counts.accepted + (counts.compared ? 0 : counts.limits);
  if (decided == 0 && counts.advisory.empty())
    return {ExitCode::pass, "pass, but nothing could be decided: " + held, false};
  return {ExitCode::pass, "pass: " + held};
}

Mentioned mentioned_of(const Count& counts) {
  Mentioned out{{}, counts.advisory, counts.accepted, counts.unknown};
  for (const VerdictKind kind : mentioned_kinds)
    if (counts.of(kind) > 0) out.metrics[kind] = counts.metrics.at(kind);
  return out;
}

}  // namespace

bool graver(ExitCode one, ExitCode other) {
  constexpr std::array codes{ExitCode::pass, ExitCode::inconclusive, ExitCode::cannot_judge,
                             ExitCode::regressed, ExitCode::error};
  const auto rank = [&](ExitCode code) { return std::find(codes.begin(), codes.end(), code); };
  return rank(one) > rank(other);
}

std::string_view to_string(ExitCode code) {
  switch (code) {
    case ExitCode::pass:
      return "pass";
    case ExitCode::regressed:
      return "regressed";
    case ExitCode::error:
      return "tool error";
    case ExitCode::cannot_judge:
      return "cannot judge";
    case ExitCode::inconclusive:
      break;
  }
  return "inconclusive";
}

Outcome outcome(const OutcomeInput& input) {
  const Count counts = count(input.verdicts);
  Outcome out = decide(input, counts);
  out.mentioned = mentioned_of(counts);
  return out;
}

}  // namespace gpugauge::judge
