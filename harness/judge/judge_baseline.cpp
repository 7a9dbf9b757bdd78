// Rounds of now against pinned rounds: from run files to the gate's plain numbers, and from its decisions to
// verdicts.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "judge/absence.hpp"
#include "judge/accepted.hpp"
#include "judge/collect.hpp"
#include "judge/judge.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// No tolerance on the scale of the gate may reach a loss of everything.
constexpr double largest_tolerance = .95;
/// A provisional baseline has not seen how boots and days differ: a regression counts above so many
/// tolerances. (Deviations of 1% between boots alone made a false alarm in .62 of simulated nights.)
constexpr double provisional_multiple = 2;
/// A difference of so many steps of the clock is none.
constexpr double clock_steps = 2;

/// Pauses before round 2, 3, ...; the last one repeats. Rounds of one bad quarter of an hour are not
/// independent, so a GPU's rounds are spread over one; host metrics have no thermal state to wait for, and
/// their checks should stay short.
constexpr std::array gpu_pauses{0.0, 60.0, 300.0};
constexpr std::array host_pauses{0.0, 5.0, 15.0, 30.0};

/// The metrics of a baseline in the order of their keys, and their series beside them.
struct Pinned {
  std::vector<std::string> keys;
  std::vector<const MetricValues*> forms;  ///< of the newest round that has the metric
  std::vector<double> tolerances;          ///< relative
  std::vector<Series> series;
};

RoundValues on_scale(const MetricValues& metric) {
  RoundValues out;
  out.reserve(metric.values.size());
  for (const double value : metric.values) out.push_back(to_scale(value, metric.form.better));
  return out;
}

std::vector<Collected> collect_all(const std::vector<result::Run>& runs) {
  std::vector<Collected> out;
  out.reserve(runs.size());
  for (const result::Run& run : runs) out.push_back(collect(run));
  return out;
}

bool same_kind(const result::Metric& a, const result::Metric& b) {
  return a.unit == b.unit && a.better == b.better && a.metric_class == b.metric_class;
}

Pinned pin(const std::vector<Collected>& rounds, const Policy& policy) {
  Pinned out;
  std::map<std::string, std::vector<const MetricValues*>> found;
  for (const Collected& round : rounds) {
    for (const auto& [key, metric] : round.metrics) {
      if (metric.judged()) found[key].push_back(&metric);
    }
  }
  for (const auto& [key, values] : found) {
    const result::Metric& form = values.back()->form;
    Series series;
    double resolution = 0;
    std::vector<double> in_unit;
    for (const MetricValues* metric : values) {
      if (!same_kind(metric->form, form)) continue;
      series.rounds.push_back(on_scale(*metric));
      in_unit.push_back(median(metric->values));
      resolution = std::max(resolution, metric->form.resolution);
    }
    series.resolution = resolution / median(in_unit);
    const double relative = std::min(largest_tolerance, std::max(tolerance(policy, form.metric_class, key),
                                                                 clock_steps * series.resolution));
    series.tolerance = step_of(relative, form.better);
    out.keys.push_back(key);
    out.forms.push_back(values.back());
    out.tolerances.push_back(relative);
    out.series.push_back(std::move(series));
  }
  return out;
}

Verdict blank(const std::string& key, const result::Metric& form) {
  Verdict verdict;
  verdict.judge = Judge::baseline;
  verdict.metric = key;
  verdict.metric_class = form.metric_class;
  verdict.unit = form.unit;
  verdict.better = form.better;
  return verdict;
}

std::string percent(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

std::string explain(const Verdict& verdict, const Scale& scale, bool again) {
  const std::string limits = fmt::format("tolerance {}", percent(verdict.tolerance));
  const double change = verdict.change.value_or(0);
  const double interval = verdict.interval.value_or(0);
  switch (verdict.kind) {
    case VerdictKind::ok:
      return fmt::format("at most {} worse ({})", percent(std::max(0.0, change + interval)), limits);
    case VerdictKind::regressed:
      return fmt::format("{} worse, confirmed in {} round{} after the first ({})", percent(change),
                         verdict.rounds - 1, verdict.rounds == 2 ? "" : "s", limits);
    case VerdictKind::improved:
      return fmt::format("{} better, confirmed: the baseline is stale, record a new one", percent(-change));
    case VerdictKind::unstable:
      return fmt::format("the processes of a round spread more than {:.0f} times as wide as in the baseline",
                         unstable_ratio);
    default:
      break;
  }
  if (!scale.usable)
    return fmt::format("the baseline holds {} round{} of it; verdicts need {}", scale.rounds,
                       scale.rounds == 1 ? "" : "s", minimum_baseline_rounds);
  const std::string seen = fmt::format("{} {} +- {}, {}", percent(std::abs(change)),
                                       change < 0 ? "better" : "worse", percent(interval), limits);
  if (scale.advisory)
    return fmt::format("too noisy to count: only a change above {} can be seen ({})",
                       percent(verdict.minimum_detectable_drop.value_or(0)), seen);
  return fmt::format("neither within tolerance nor worse could be shown{} ({})",
                     again ? " yet; a further round is needed" : "", seen);
}

VerdictKind kind_of(Decision decision) {
  switch (decision) {
    case Decision::ok:
      return VerdictKind::ok;
    case Decision::regressed:
      return VerdictKind::regressed;
    case Decision::improved:
      return VerdictKind::improved;
    case Decision::unstable:
      return VerdictKind::unstable;
    case Decision::inconclusive:
      break;
  }
  return VerdictKind::inconclusive;
}

Verdict decided(const std::string& key, const result::Metric& form, double relative_tolerance,
                const Scale& scale, const GateResult& result, bool provisional) {
  Verdict verdict = blank(key, form);
  verdict.kind = kind_of(result.decision);
  verdict.tolerance = relative_tolerance;
  verdict.rounds = result.rounds;
  verdict.baseline = from_scale(scale.centre, form.better);
  verdict.value = from_scale(scale.centre + result.change, form.better);
  verdict.change = relative_of(result.change, form.better);
  if (scale.usable) {
    verdict.interval = (relative_of(result.change + result.half_width, form.better) -
                        relative_of(result.change - result.half_width, form.better)) /
                       2;
  }
  if (scale.rounds >= 2)
    verdict.minimum_detectable_drop = relative_of(scale.minimum_detectable_change, form.better);
  // A change that stands out of the noise counts; what noise hides does not. A provisional baseline has not
  // seen all of the noise: there, what it calls noisy never counts.
  verdict.advisory = scale.advisory && (provisional || verdict.kind != VerdictKind::regressed);
  verdict.reason = explain(verdict, scale, result.again);
  if (provisional && verdict.kind == VerdictKind::regressed &&
      *verdict.change <= provisional_multiple * relative_tolerance) {
    verdict.advisory = true;
    verdict.reason += fmt::format("; from a provisional baseline it counts above {}",
                                  percent(provisional_multiple * relative_tolerance));
  }
  return verdict;
}

Verdict not_measured(const std::string& key, const MetricValues& then, const Collected& now,
                     const result::Run& run) {
  Verdict verdict = blank(key, then.form);
  verdict.baseline = median(then.values);
  const Absence absence = explain_absence(key, then.benchmark, now, run);
  verdict.kind = absence.kind;
  verdict.reason = absence.reason;
  return verdict;
}

std::vector<Verdict> new_metrics(const Collected& now, const Pinned& pinned) {
  std::vector<Verdict> out;
  for (const auto& [key, metric] : now.metrics) {
    if (!metric.judged() || std::binary_search(pinned.keys.begin(), pinned.keys.end(), key)) continue;
    Verdict verdict = blank(key, metric.form);
    verdict.kind = VerdictKind::new_metric;
    verdict.value = median(metric.values);
    verdict.rounds = 1;
    verdict.reason = "not in the baseline: nothing to compare with";
    out.push_back(std::move(verdict));
  }
  return out;
}

std::vector<std::string> remarks_on(const baseline::Baseline& baseline, const Calibration& calibration,
                                    const Policy& policy) {
  std::vector<std::string> out;
  const auto rounds = static_cast<int>(baseline.runs.size());
  if (baseline.provisional())
    out.push_back(fmt::format(
        "The baseline is provisional: its rounds come from fewer than 3 boots or days, so small "
        "differences may be this machine's own; {}.",
        policy.provisional_is_advisory ? "its verdicts are advisory"
                                       : "a regression counts when it is larger than twice its tolerance"));
  if (rounds < minimum_baseline_rounds)
    out.push_back(
        fmt::format("The baseline has {} round{} and verdicts need {}: nothing can be decided; record more "
                    "rounds with `gpugauge "
                    "baseline create`.",
                    rounds, rounds == 1 ? "" : "s", minimum_baseline_rounds));
  const auto noisy = std::count_if(calibration.scales.begin(), calibration.scales.end(),
                                   [](const Scale& scale) { return scale.usable && scale.advisory; });
  if (noisy > 0)
    out.push_back(
        fmt::format("{} of {} metrics are too noisy in the baseline to show twice their tolerance: they "
                    "{}.",
                    noisy, calibration.usable,
                    baseline.provisional() ? "are said and never counted"
                                           : "count only when they change by more than that noise hides"));
  return out;
}

double pause_before(int round, bool host) {
  const auto index = static_cast<std::size_t>(std::max(0, round - 2));
  return host ? host_pauses[std::min(index, host_pauses.size() - 1)]
              : gpu_pauses[std::min(index, gpu_pauses.size() - 1)];
}

}  // namespace

Judgement judge_baseline(const std::vector<result::Run>& rounds, const baseline::Baseline& baseline,
                         const Policy& policy) {
  Judgement out;
  if (rounds.empty()) return out;
  const std::vector<Collected> then = collect_all(baseline.runs);
  const std::vector<Collected> now = collect_all(rounds);
  const Pinned pinned = pin(then, policy);
  const Calibration calibration = calibrate(pinned.series, policy.rules);

  std::vector<std::vector<RoundValues>> values(pinned.keys.size());
  for (std::size_t m = 0; m < pinned.keys.size(); ++m) {
    for (const Collected& round : now) {
      const auto found = round.metrics.find(pinned.keys[m]);
      const bool usable = found != round.metrics.end() && found->second.judged() &&
                          same_kind(found->second.form, pinned.forms[m]->form);
      values[m].push_back(usable ? on_scale(found->second) : RoundValues{});
    }
  }
  const std::vector<GateResult> results = decide(calibration, values, policy.rules);

  const bool provisional = baseline.provisional();
  const std::set<std::string> asked(rounds.front().only.begin(), rounds.front().only.end());
  std::set<std::string> again;
  for (std::size_t m = 0; m < pinned.keys.size(); ++m) {
    const MetricValues& form = *pinned.forms[m];
    if (!asked.empty() && asked.count(form.benchmark) == 0) continue;
    if (!values[m].front().empty()) {
      out.verdicts.push_back(decided(pinned.keys[m], form.form, pinned.tolerances[m], calibration.scales[m],
                                     results[m], provisional));
      if (results[m].again && !(provisional && calibration.scales[m].advisory)) again.insert(form.benchmark);
    } else {
      out.verdicts.push_back(not_measured(pinned.keys[m], form, now.front(), rounds.front()));
    }
  }
  std::vector<Verdict> added = new_metrics(now.front(), pinned);
  out.verdicts.insert(out.verdicts.end(), std::make_move_iterator(added.begin()),
                      std::make_move_iterator(added.end()));
  if (policy.provisional_is_advisory && baseline.provisional()) {
    for (Verdict& verdict : out.verdicts) verdict.advisory = true;
  }
  for (Verdict& verdict : out.verdicts) {
    const MetricRule* rule = rule_for(policy, verdict.metric);
    if (rule == nullptr || !rule->advisory || verdict.advisory) continue;
    verdict.advisory = true;
    verdict.reason += fmt::format("; advisory by the policy{}", rule->why.empty() ? "" : ": " + rule->why);
  }
  std::stable_sort(out.verdicts.begin(), out.verdicts.end(),
                   [](const Verdict& a, const Verdict& b) { return a.metric < b.metric; });
  out.request.benchmarks.assign(again.begin(), again.end());
  if (!again.empty())
    out.request.pause_seconds =
        pause_before(static_cast<int>(rounds.size()) + 1, rounds.front().device == "host");
  out.remarks = remarks_on(baseline, calibration, policy);
  apply_accepted(out.verdicts, baseline, rounds.front().started, out.remarks);
  return out;
}

std::vector<Sensitivity> sensitivity(const baseline::Baseline& baseline, const Policy& policy) {
  const std::vector<Collected> rounds = collect_all(baseline.runs);
  const Pinned pinned = pin(rounds, policy);
  const Calibration calibration = calibrate(pinned.series, policy.rules);
  std::vector<Sensitivity> out;
  for (std::size_t m = 0; m < pinned.keys.size(); ++m) {
    const Scale& scale = calibration.scales[m];
    const result::Metric& form = pinned.forms[m]->form;
    if (scale.rounds < 2) continue;
    out.push_back({pinned.keys[m], form.metric_class, form.unit, from_scale(scale.centre, form.better),
                   scale.spread, relative_of(scale.minimum_detectable_change, form.better),
                   pinned.tolerances[m], scale.advisory, scale.rounds, form.better});
  }
  return out;
}

}  // namespace gpugauge::judge
