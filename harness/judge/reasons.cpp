// Words the reasons of the baseline judge's verdicts.
#include "judge/reasons.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/judge_peers.hpp"
#include "judge/modes.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "result/counted.hpp"
#include "result/quantity.hpp"

namespace gpugauge::judge {
namespace {

/// "by more than 1.0% in 4 of 5 rounds": how many rounds support the decision.
std::string in_rounds(const Verdict& verdict, const GateResult& result) {
  return fmt::format("by more than {} in {} of {} rounds", percent(null_share * verdict.tolerance),
                     result.beyond, verdict.rounds);
}

/// Larger shares are printed with an exponent.
constexpr double most_told = 1e4;

/// "; two modes: 60% of 5 processes near 53.3 GB/s, the others near 41.2 GB/s".
std::string modes_of(const Verdict& verdict, const Scale& scale, std::span<const RoundValues> now) {
  if (!scale.process_spread) return "";
  std::vector<double> values;
  for (const RoundValues& round : now) values.insert(values.end(), round.begin(), round.end());
  const double least = std::max(unstable_ratio * *scale.process_spread, null_share * scale.tolerance);
  const auto modes = two_modes(values, least);
  if (!modes) return "";
  // + is worse on the scale, so the upper group is the slow one.
  return fmt::format("; two modes: {:.0f}% of {} processes near {}, the others near {}",
                     100 * (1 - modes->lower_share), values.size(),
                     result::quantity(from_scale(modes->upper, verdict.better), verdict.unit),
                     result::quantity(from_scale(modes->lower, verdict.better), verdict.unit));
}

/// "at most 1.2% worse with 95% confidence (tolerance 10.0%)", and how an outlying first round was handled.
std::string within(const Verdict& verdict, const Scale& scale, const GateResult& result) {
  std::string text = fmt::format(
      "{} (tolerance {})", at_most_worse(verdict, result.change + result.half_width, scale.ok_confidence),
      percent(verdict.tolerance));
  if (result.left_out)
    text += fmt::format("; the first round was {} worse and is left out: {} later ones are not",
                        percent(relative_of(*result.left_out, verdict.better)), verdict.rounds - 1);
  return text;
}

/// ", 11.0% in the middle one of its rounds", if outliers make the mean at least twice as large.
std::string apart_from_mean(const Verdict& verdict, const GateResult& result) {
  if (result.change <= 2 * result.typical) return "";
  return fmt::format(" on average, {} in the middle one of its rounds",
                     percent(relative_of(result.typical, verdict.better)));
}

/// "30.0% less on average in all 5 metrics; worse in 3 of 3 rounds". With fewer that moved by half of that: how many,
/// or the one that carries the mean.
std::string class_moved(const Verdict& verdict, const GateResult& result, const ClassChange& change) {
  const double mean = step_of(verdict.change.value_or(0), verdict.better);
  const char* const side = mean >= 0 ? "worse" : "better";
  const std::string which =
      !change.together ? fmt::format("over {} metrics, and {} carries it ({} {})", change.members,
                                     change.most_key, percent(std::abs(change.most_change)), side)
      : change.moved < change.members
          ? fmt::format("over {} metrics, {} of them by more than half of that", change.members, change.moved)
          : fmt::format("in all {} metrics", change.members);
  return fmt::format("{} on average {}; {} in {} of {} rounds", amount_of_step(mean, change.shared), which,
                     side, result.beyond, verdict.rounds);
}

std::string undecided(const Verdict& verdict, const Scale& scale, const GateResult& result) {
  if (!scale.usable)
    return fmt::format("the baseline holds {} of it; verdicts need {}",
                       result::counted(scale.rounds, "round"), minimum_baseline_rounds);
  const double change = verdict.change.value_or(0);
  const std::string seen =
      fmt::format("{} {} +- {}, tolerance {}", percent(std::abs(change)), change < 0 ? "better" : "worse",
                  percent(verdict.interval.value_or(0)), percent(verdict.tolerance));
  if (result.worse)
    return fmt::format(
        "worse, and on which side of {} it lies, above which it counts, is not shown yet; a further round is "
        "needed ({})",
        percent(relative_of(scale.counts_above, verdict.better)), seen);
  if (scale.advisory)
    return fmt::format(
        "{}: only a change above {} can be seen ({})",
        scale.hidden_by_units ? "within what healthy nodes may differ by" : "too noisy to count",
        detectable(verdict.minimum_detectable_drop.value_or(0)), seen);
  return fmt::format("neither within tolerance nor worse could be shown{} ({})",
                     result.again ? " yet; a further round is needed" : "", seen);
}

}  // namespace

std::string amount_of_step(double step, const std::optional<result::Direction>& shared) {
  const std::string of_times = percent(std::abs(std::expm1(step)));
  const std::string of_rates = percent(std::abs(std::expm1(-step)));
  const char* const longer = step >= 0 ? "longer" : "shorter";
  const char* const less = step >= 0 ? "less" : "more";
  if (shared == result::Direction::higher) return fmt::format("{} {}", of_rates, less);
  if (shared == result::Direction::lower) return fmt::format("{} {}", of_times, longer);
  return of_times == of_rates ? fmt::format("{} {} or {}", of_times, longer, less)
                              : fmt::format("{} {} or {} {}", of_times, longer, of_rates, less);
}

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

std::string detectable(double share) {
  constexpr double most = 10;
  return share < most ? percent(share) : ">1000%";
}

bool can_drop_by(double share) {
  constexpr double rounds_to_all = .9995;
  return share < rounds_to_all;
}

std::string at_most_worse(const Verdict& verdict, double upper, double confidence) {
  return fmt::format("at most {} worse with {:g}% confidence",
                     percent(std::max(0.0, relative_of(upper, verdict.better))), 100 * confidence);
}

std::string whole_percent(double share) {
  return std::fabs(share) < most_told ? fmt::format("{:.0f}%", 100 * share) : percent(share);
}

std::string nodes_may_differ() {
  return fmt::format(
      "how healthy nodes of one model differ is allowed for ({} between memories, links and launches, {} "
      "where "
      "power limits the clock, {} between hosts; assumed), so only larger drops can be shown.",
      whole_percent(between_nodes("hbm")), whole_percent(between_nodes("gemm16")),
      whole_percent(between_nodes("host_cpu")));
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
      // One slow process of five does not move a round's median, so at least mention it.
      return within(verdict, scale, result) + modes_of(verdict, scale, now);
    case VerdictKind::regressed:
      return fmt::format("{} worse{}, {} ({}){}", percent(change), apart_from_mean(verdict, result),
                         in_rounds(verdict, result), limits, modes_of(verdict, scale, now));
    case VerdictKind::improved:
      return fmt::format("{} better, {}: the baseline is stale, record a new one", percent(-change),
                         in_rounds(verdict, result));
    case VerdictKind::unstable:
      return fmt::format(
          "the processes of a round spread more than {:.0f} times as wide as in the baseline{}",
          unstable_ratio, modes_of(verdict, scale, now));
    default:
      return undecided(verdict, scale, result) + modes_of(verdict, scale, now);
  }
}

std::string explain_class(const Verdict& verdict, const Scale& scale, const GateResult& result,
                          const ClassChange& change) {
  const std::string mean = fmt::format("geometric mean of {} metrics", change.members);
  switch (verdict.kind) {
    case VerdictKind::ok:
      return fmt::format("{}: {}", mean, within(verdict, scale, result));
    case VerdictKind::regressed:
      return fmt::format("{} (tolerance of the mean {})", class_moved(verdict, result, change),
                         percent(verdict.tolerance));
    case VerdictKind::improved:
      return fmt::format("{}: {}", class_moved(verdict, result, change),
                         change.together ? "where it stays so, the baseline is stale: record a new one"
                                         : "what became of that metric says whether the baseline is stale");
    default:
      return fmt::format("{}: {}", mean, undecided(verdict, scale, result));
  }
}

}  // namespace gpugauge::judge
