#include "judge/before_after.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "judge/absence.hpp"
#include "judge/collect.hpp"
#include "judge/reasons.hpp"
#include "judge/scale.hpp"
#include "judge/sides.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// Between two processes of a foreign program nobody has measured the spread; our own host metrics spread by
/// .4 to 2.5% between rounds.
constexpr double foreign_spread = .02;
/// With fewer boots a side, how boots differ is mostly the assumption.
constexpr std::size_t boots_for_confidence = 3;

struct Seen {
  const result::Run* run = nullptr;
  Collected collected;
};

std::vector<Seen> collect_all(const std::vector<result::Run>& runs) {
  std::vector<Seen> out;
  out.reserve(runs.size());
  for (const result::Run& run : runs) out.push_back({&run, collect(run)});
  return out;
}

std::set<std::string> boots(const std::vector<result::Run>& runs) {
  std::set<std::string> out;
  for (const result::Run& run : runs) out.insert(run.boot_id);
  return out;
}

/// One metric of one side: its values by unit, and the forms that were met.
struct MetricSide {
  std::map<std::string, std::vector<double>> units;
  const MetricValues* form = nullptr;
  std::vector<double> within_variances;  ///< of the median of the processes of each round

  Side side() const {
    Side out;
    for (const auto& unit : units) out.push_back(unit.second);
    return out;
  }
};

std::map<std::string, MetricSide> by_metric(const std::vector<Seen>& runs) {
  std::map<std::string, MetricSide> out;
  for (const Seen& seen : runs) {
    for (const auto& [key, metric] : seen.collected.metrics) {
      if (!metric.judged()) continue;
      MetricSide& side = out[key];
      side.form = &metric;
      std::vector<double> values;
      for (const double value : metric.values) values.push_back(to_scale(value, metric.form.better));
      side.units[seen.run->boot_id].push_back(median(values));
      if (values.size() >= 3) {
        const double spread = qn(values);
        side.within_variances.push_back(spread * spread * std::numbers::pi / 2 /
                                        static_cast<double>(values.size()));
      }
    }
  }
  return out;
}

std::string explain(const Verdict& verdict, double interval) {
  const double change = verdict.change.value_or(0);
  const std::string limits = fmt::format("tolerance {}", percent(verdict.tolerance));
  switch (verdict.kind) {
    case VerdictKind::ok:
      return fmt::format("at most {} worse ({})", percent(std::max(0.0, change + interval)), limits);
    case VerdictKind::regressed:
      return fmt::format("{} worse than before, beyond what rounds and boots explain ({})", percent(change),
                         limits);
    case VerdictKind::improved:
      return fmt::format("{} better than before", percent(-change));
    default:
      return fmt::format(
          "{} {} +- {}: neither within tolerance nor worse can be shown by these data; only a drop of {} "
          "could be ({})",
          percent(std::abs(change)), change < 0 ? "better" : "worse", percent(interval),
          percent(verdict.minimum_detectable_drop.value_or(0)), limits);
  }
}

Verdict decided(const std::string& key, const result::Metric& form, double relative_tolerance,
                const SidesResult& result, std::size_t rounds) {
  Verdict verdict = blank_verdict(key, form);
  verdict.kind = result.decision == Decision::ok          ? VerdictKind::ok
                 : result.decision == Decision::regressed ? VerdictKind::regressed
                 : result.decision == Decision::improved  ? VerdictKind::improved
                                                          : VerdictKind::inconclusive;
  verdict.tolerance = relative_tolerance;
  verdict.rounds = static_cast<int>(rounds);
  verdict.baseline = from_scale(result.before, form.better);
  verdict.value = from_scale(result.before + result.change, form.better);
  verdict.change = relative_of(result.change, form.better);
  verdict.interval = (relative_of(result.change + result.half_width, form.better) -
                      relative_of(result.change - result.half_width, form.better)) /
                     2;
  verdict.minimum_detectable_drop = relative_of(result.minimum_detectable_change, form.better);
  verdict.reason = explain(verdict, *verdict.interval);
  return verdict;
}

bool foreign(const std::vector<result::Run>& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const result::Run& run) { return run.profile == "google-benchmark"; });
}

/// "old, new, old": the before side was measured on both sides of the after side in time.
bool returned(const std::vector<result::Run>& before, const std::vector<result::Run>& after) {
  const auto by_start = [](const result::Run& a, const result::Run& b) { return a.started < b.started; };
  const std::string first = std::min_element(after.begin(), after.end(), by_start)->started;
  const std::string last = std::max_element(after.begin(), after.end(), by_start)->started;
  return std::any_of(before.begin(), before.end(),
                     [&](const result::Run& run) { return run.started < first; }) &&
         std::any_of(before.begin(), before.end(),
                     [&](const result::Run& run) { return run.started > last; });
}

std::vector<std::string> how_measured(const std::vector<result::Run>& before,
                                      const std::vector<result::Run>& after, bool shared,
                                      const std::vector<double>& detectable) {
  std::vector<std::string> out;
  if (!detectable.empty())
    out.push_back(
        fmt::format("These data can show a drop of {} (median over {} metrics) with 90% probability.",
                    percent(median(detectable)), detectable.size()));
  const std::size_t boots_before = boots(before).size();
  const std::size_t boots_after = boots(after).size();
  if (foreign(before) || foreign(after)) {
    out.push_back(
        fmt::format("Each file is one process: {} before, {} after. Repetitions inside a file say nothing "
                    "about how processes differ; "
                    "{} between them is assumed where a side has a single file. Five files a side would show "
                    "much smaller drops.",
                    before.size(), after.size(), percent(foreign_spread)));
    return out;
  }
  out.push_back(fmt::format(
      "{} rounds of {} boot{} before, {} rounds of {} boot{} after; {}.", before.size(), boots_before,
      boots_before == 1 ? "" : "s", after.size(), boots_after, boots_after == 1 ? "" : "s",
      shared ? "both within the same boot, so that the round is the unit" : "the boot is the unit"));
  if (!shared && std::min(boots_before, boots_after) < boots_for_confidence)
    out.push_back("Fewer than 3 boots on a side: how boots differ is partly assumed (1%).");
  out.push_back(returned(before, after) ? "The old side was measured before and after the new one (A/B/A): a "
                                          "drift of the machine would show as a "
                                          "spread of the old side."
                                        : "Where the old stack can be booted again, measure it once more and "
                                          "give it with --before (A/B/A): it "
                                          "tells the change from a drift of the machine.");
  return out;
}

}  // namespace

BeforeAfter judge_before_after(const std::vector<result::Run>& before, const std::vector<result::Run>& after,
                               const Policy& policy) {
  if (before.empty() || after.empty()) throw std::invalid_argument("each side needs a run");
  const std::vector<Seen> then = collect_all(before);
  const std::vector<Seen> now = collect_all(after);
  const std::map<std::string, MetricSide> then_metrics = by_metric(then);
  const std::map<std::string, MetricSide> now_metrics = by_metric(now);
  SidesRules rules;
  rules.gate = policy.rules;
  rules.shared_unit = boots(before) == boots(after) && boots(before).size() == 1 && !foreign(before);
  if (foreign(before) || foreign(after)) rules.assumed_spread = foreign_spread;

  BeforeAfter out;
  std::vector<std::string> keys;
  std::vector<double> tolerances;
  std::vector<SidesSeries> series;
  for (const auto& [key, side] : then_metrics) {
    const result::Metric& form = side.form->form;
    const auto found = now_metrics.find(key);
    const bool same = found != now_metrics.end() && found->second.form->form.unit == form.unit &&
                      found->second.form->form.better == form.better;
    if (!same) {
      Verdict verdict = blank_verdict(key, form);
      const Absence absence =
          explain_absence(key, side.form->benchmark, now.front().collected, after.front());
      verdict.kind = absence.kind;
      verdict.reason = absence.reason;
      verdict.baseline = median(side.form->values);
      out.verdicts.push_back(std::move(verdict));
      continue;
    }
    SidesSeries one{side.side(), found->second.side(), 0, 0};
    tolerances.push_back(tolerance(policy, form.metric_class, key));
    one.tolerance = step_of(tolerances.back(), form.better);
    std::vector<double> within = side.within_variances;
    within.insert(within.end(), found->second.within_variances.begin(), found->second.within_variances.end());
    if (!within.empty()) one.within_error = std::sqrt(median(within));
    keys.push_back(key);
    series.push_back(std::move(one));
  }
  const std::vector<SidesResult> results = compare_sides(series, rules);
  std::vector<double> detectable;
  for (std::size_t m = 0; m < keys.size(); ++m) {
    out.verdicts.push_back(
        decided(keys[m], then_metrics.at(keys[m]).form->form, tolerances[m], results[m], after.size()));
    detectable.push_back(*out.verdicts.back().minimum_detectable_drop);
  }
  for (const auto& [key, side] : now_metrics) {
    if (then_metrics.count(key) > 0) continue;
    Verdict verdict = blank_verdict(key, side.form->form);
    verdict.kind = VerdictKind::new_metric;
    verdict.value = median(side.form->values);
    verdict.reason = "not on the before side: nothing to compare with";
    out.verdicts.push_back(std::move(verdict));
  }
  for (Verdict& verdict : out.verdicts) {
    const MetricRule* rule = rule_for(policy, verdict.metric);
    if (rule != nullptr && rule->advisory) verdict.advisory = true;
  }
  std::sort(out.verdicts.begin(), out.verdicts.end(),
            [](const Verdict& a, const Verdict& b) { return a.metric < b.metric; });
  out.remarks = how_measured(before, after, rules.shared_unit, detectable);
  return out;
}

std::vector<Sensitivity> foreseen(const baseline::Baseline& before, const Policy& policy) {
  std::vector<Sensitivity> out = sensitivity(before, policy);
  if (before.runs.empty()) return out;
  std::vector<result::Run> after = before.runs;
  for (result::Run& run : after) run.boot_id = "a boot to come, " + run.boot_id;
  std::map<std::string, double> drops;
  for (const Verdict& verdict : judge_before_after(before.runs, after, policy).verdicts)
    if (verdict.minimum_detectable_drop) drops[verdict.metric] = *verdict.minimum_detectable_drop;
  for (Sensitivity& row : out) {
    row.advisory = false;
    if (const auto found = drops.find(row.metric); found != drops.end())
      row.minimum_detectable_drop = found->second;
  }
  return out;
}

}  // namespace gpugauge::judge
