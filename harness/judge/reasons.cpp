#include "judge/reasons.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/modes.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "result/counted.hpp"

namespace gpugauge::judge {
namespace {

std::string rounds_after_first(const Verdict& verdict) {
  return fmt::format("confirmed in {} round{} after the first", verdict.rounds - 1,
                     verdict.rounds == 2 ? "" : "s");
}

/// From here on a share is told with an exponent.
constexpr double most_told = 1e4;

/// "; two modes: 3 of 5 processes near 2.6, the others near 4.1".
std::string modes_of(const Verdict& verdict, const Scale& scale, std::span<const RoundValues> now) {
  if (!scale.process_spread) return "";
  std::vector<double> values;
  for (const RoundValues& round : now) values.insert(values.end(), round.begin(), round.end());
  const double least = std::max(unstable_ratio * *scale.process_spread, null_share * scale.tolerance);
  const auto modes = two_modes(values, least);
  if (!modes) return "";
  // + is worse on the scale: the upper group is the slow one.
  return fmt::format("; two modes: {:.0f}% of {} processes near {:.4g} {}, the others near {:.4g}",
                     100 * (1 - modes->lower_share), values.size(), from_scale(modes->upper, verdict.better),
                     verdict.unit, from_scale(modes->lower, verdict.better));
}

/// "at most 1.2% worse (tolerance 10.0%)", and what became of a first round that was far out.
std::string within(const Verdict& verdict, const GateResult& result) {
  std::string text =
      fmt::format("at most {} worse (tolerance {})",
                  percent(std::max(0.0, verdict.change.value_or(0) + verdict.interval.value_or(0))),
                  percent(verdict.tolerance));
  if (result.left_out)
    text += fmt::format("; the first round was {} worse and is left out: {} later ones are not",
                        percent(relative_of(*result.left_out, verdict.better)), verdict.rounds - 1);
  return text;
}

/// ", 11.0% in the middle one of its rounds", where rounds far out make the mean twice as large and more.
std::string apart_from_mean(const Verdict& verdict, const GateResult& result) {
  if (result.change <= 2 * result.typical) return "";
  return fmt::format(" on average, {} in the middle one of its rounds",
                     percent(relative_of(result.typical, verdict.better)));
}

std::string undecided(const Verdict& verdict, const Scale& scale, bool again) {
  if (!scale.usable)
    return fmt::format("the baseline holds {} of it; verdicts need {}",
                       result::counted(scale.rounds, "round"), minimum_baseline_rounds);
  const double change = verdict.change.value_or(0);
  const std::string seen =
      fmt::format("{} {} +- {}, tolerance {}", percent(std::abs(change)), change < 0 ? "better" : "worse",
                  percent(verdict.interval.value_or(0)), percent(verdict.tolerance));
  if (scale.advisory)
    return fmt::format("too noisy to count: only a change above {} can be seen ({})",
                       percent(verdict.minimum_detectable_drop.value_or(0)), seen);
  return fmt::format("neither within tolerance nor worse could be shown{} ({})",
                     again ? " yet; a further round is needed" : "", seen);
}

}  // namespace

Verdict blank_verdict(const std::string& key, const result::Metric& form) {
  Verdict verdict;
  verdict.judge = Judge::baseline;
  verdict.metric = key;
  verdict.metric_class = form.metric_class;
  verdict.unit = form.unit;
  verdict.better = form.better;
  return verdict;
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "an unknown share";
  return std::fabs(share) < most_told ? fmt::format("{:.1f}%", 100 * share)
                                      : fmt::format("{:.1e}%", 100 * share);
}

std::string whole_percent(double share) {
  return std::fabs(share) < most_told ? fmt::format("{:.0f}%", 100 * share) : percent(share);
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + shown, ", "),
                     names.size() - shown);
}

std::string explain(const Verdict& verdict, const Scale& scale, const GateResult& result,
                    std::span<const RoundValues> now) {
  const std::string limits = fmt::format("tolerance {}", percent(verdict.tolerance));
  const double change = verdict.change.value_or(0);
  switch (verdict.kind) {
    case VerdictKind::ok:
      return within(verdict, result);
    case VerdictKind::regressed:
      return fmt::format("{} worse{}, {} ({}){}", percent(change), apart_from_mean(verdict, result),
                         rounds_after_first(verdict), limits, modes_of(verdict, scale, now));
    case VerdictKind::improved:
      return fmt::format("{} better, confirmed: the baseline is stale, record a new one", percent(-change));
    case VerdictKind::unstable:
      return fmt::format(
          "the processes of a round spread more than {:.0f} times as wide as in the baseline{}",
          unstable_ratio, modes_of(verdict, scale, now));
    default:
      return undecided(verdict, scale, result.again) + modes_of(verdict, scale, now);
  }
}

std::string explain_class(const Verdict& verdict, const Scale& scale, const GateResult& result,
                          const ClassChange& change) {
  const std::string mean = fmt::format("geometric mean of {} metrics", change.members);
  const std::string& name = verdict.metric_class;
  switch (verdict.kind) {
    case VerdictKind::ok:
      return fmt::format("{}: {}", mean, within(verdict, result));
    case VerdictKind::regressed: {
      const std::string tail = fmt::format("{} (tolerance of the mean {})", rounds_after_first(verdict),
                                           percent(verdict.tolerance));
      if (change.together)
        return fmt::format("everything in class {} is worse, by {}: {} of {} metrics; {}", name,
                           percent(verdict.change.value_or(0)), change.worse, change.members, tail);
      return fmt::format("class {} is {} worse, and {} carries it ({} worse); {}", name,
                         percent(verdict.change.value_or(0)), change.most_key, percent(change.most_change),
                         tail);
    }
    case VerdictKind::improved:
      return fmt::format("everything in class {} is better, by {}: the baseline is stale, record a new one",
                         name, percent(-verdict.change.value_or(0)));
    default:
      return fmt::format("{}: {}", mean, undecided(verdict, scale, result.again));
  }
}

}  // namespace gpugauge::judge
