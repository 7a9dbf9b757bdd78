// Compares new rounds with pinned rounds: turns the gate's decisions into verdicts.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "judge/absence.hpp"
#include "judge/accepted.hpp"
#include "judge/baseline_remarks.hpp"
#include "judge/checksum_sides.hpp"
#include "judge/judge.hpp"
#include "judge/library_choices.hpp"
#include "judge/one_sided.hpp"
#include "judge/pace.hpp"
#include "judge/per_clock.hpp"
#include "judge/pinned.hpp"
#include "judge/provisional.hpp"
#include "judge/reasons.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "result/device_kind.hpp"

namespace gpugauge::judge {
namespace {

/// Pauses in seconds before round 2, 3, ...; the last one repeats. Rounds of one bad quarter of an hour are
/// not independent, so a GPU's rounds are spread over one. Host metrics have no thermal state, and their
/// checks should stay short.
constexpr std::array gpu_pauses{0.0, 60.0, 300.0};
constexpr std::array host_pauses{0.0, 5.0, 15.0, 30.0};

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

Verdict blank_class_verdict(const PinnedClass& mean) {
  result::Metric form;
  form.unit = "1";
  form.better = mean.better();
  form.metric_class = mean.metric_class;
  return blank_verdict(class_key(mean.metric_class), form);
}

/// The step above which a regression of a metric, or of a class mean, counts; 0 for a mature baseline, where
/// every regression shown counts.
double counts_above(const baseline::Baseline& baseline, const Scale& scale) {
  return baseline.provisional() ? counts_above_provisional(scale) : 0;
}
double counts_above(const baseline::Baseline& baseline, const Scale& scale, const PinnedClass& mean,
                    const Policy& policy) {
  if (!baseline.provisional()) return 0;
  return counts_above_provisional(scale, step_of(tolerance(policy, mean.metric_class), mean.better()));
}

/// Converts a decision to the metric's unit; the caller writes the reason.
Verdict decided(Verdict verdict, double relative_tolerance, const Scale& scale, const GateResult& result,
                double above, const GateRules& rules) {
  const result::Direction better = verdict.better;
  verdict.kind = kind_of(result.decision);
  verdict.tolerance = relative_tolerance;
  verdict.rounds = result.rounds;
  verdict.baseline = from_scale(scale.centre, better);
  verdict.value = from_scale(scale.centre + result.change, better);
  verdict.change = relative_of(result.change, better);
  verdict.typical = relative_of(std::min(result.typical, result.twice), better);
  if (scale.usable) {
    verdict.interval = (relative_of(result.change + result.half_width, better) -
                        relative_of(result.change - result.half_width, better)) /
                       2;
  }
  if (scale.rounds >= 2)
    verdict.minimum_detectable_drop = relative_of(detectable_change(scale, above, rules), better);
  // A regression beyond the noise counts; other results of a noisy metric do not.
  verdict.advisory = scale.advisory && verdict.kind != VerdictKind::regressed;
  return verdict;
}

/// A regression from a provisional baseline counts only if the change is larger than `above` in its mean, its
/// median and in two of all rounds: one outlier is not another boot.
void weaken(Verdict& verdict, const GateResult& result, double above) {
  if (above <= 0 || verdict.kind != VerdictKind::regressed) return;
  const bool larger = std::min(result.change, result.typical) > above;
  if (larger && result.twice > above) return;
  verdict.advisory = true;
  if (larger) {
    verdict.reason += fmt::format("; from a provisional baseline it counts where two rounds lie above {}",
                                  percent(relative_of(above, verdict.better)));
    return;
  }
  verdict.reason += fmt::format("; from a provisional baseline it counts above {}",
                                percent(relative_of(above, verdict.better)));
}

double pause_before(int round, bool host) {
  const auto index = static_cast<std::size_t>(std::max(0, round - 2));
  return host ? host_pauses[std::min(index, host_pauses.size() - 1)]
              : gpu_pauses[std::min(index, gpu_pauses.size() - 1)];
}

std::vector<std::set<std::string>> asked_of(const std::vector<result::Run>& rounds) {
  std::vector<std::set<std::string>> out;
  out.reserve(rounds.size());
  for (const result::Run& run : rounds) out.emplace_back(run.only.begin(), run.only.end());
  return out;
}

std::vector<std::size_t> in_time(const std::vector<result::Run>& rounds) {
  std::vector<std::size_t> out(rounds.size());
  std::iota(out.begin(), out.end(), 0U);
  std::stable_sort(out.begin(), out.end(),
                   [&](std::size_t a, std::size_t b) { return rounds[a].started < rounds[b].started; });
  return out;
}

/// One judgement: metrics first, then class means, in one calibration.
class Session {
 public:
  Session(const std::vector<result::Run>& rounds, const baseline::Baseline& baseline, const Policy& policy)
      : rounds_(rounds),
        asked_(asked_of(rounds)),
        in_time_(in_time(rounds)),
        rules_(policy.rules),
        left_out_(baseline.left_out),
        then_(collect_all(baseline.runs)),
        now_(collect_all(rounds)),
        pinned_(pin(then_, policy, baseline.other_node)),
        values_(values_of(pinned_, now_)),
        calibration_(calibrate(pinned_.series, policy.rules)) {
    if (policy.class_means) classes_ = pin_classes(pinned_, calibration_, values_, policy);
    std::vector<Series> all = pinned_.series;
    for (const PinnedClass& found : classes_) {
      all.push_back(found.mean.series);
      std::vector<RoundValues> of_class;
      for (std::size_t j = 0; j < now_.size(); ++j)
        of_class.push_back(class_round(found.mean, calibration_, in_round(j)));
      values_.push_back(std::move(of_class));
    }
    calibration_ = calibrate(all, policy.rules);
    set_thresholds(baseline, policy);
    results_ = decide(calibration_, values_, policy.rules);
  }

  void metrics(std::vector<Verdict>& out) {
    for (std::size_t m = 0; m < pinned_.keys.size(); ++m) {
      const MetricValues& form = *pinned_.forms[m];
      if (!asked_for(form.benchmark, 0)) continue;
      if (values_[m].front().empty() && !made_good(m)) {
        out.push_back(not_measured(pinned_.keys[m], form, now_.front(), rounds_.front()));
        continue;
      }
      const Scale& scale = calibration_.scales[m];
      Verdict verdict = decided(blank_verdict(pinned_.keys[m], form.form), pinned_.tolerances[m], scale,
                                results_[m], above_[m], rules_);
      verdict.reason = explain(verdict, scale, results_[m], values_[m]);
      weaken(verdict, results_[m], above_[m]);
      if (auto gaps = gaps_of(m)) gaps_.emplace(pinned_.keys[m], std::move(*gaps));
      out.push_back(std::move(verdict));
      if (results_[m].again) again_.insert(form.benchmark);
    }
    std::vector<Verdict> added = new_metrics(now_.front(), pinned_, left_out_);
    out.insert(out.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  }

  void classes(std::vector<Verdict>& out) {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const std::size_t index = pinned_.keys.size() + c;
      const Scale& scale = calibration_.scales[index];
      Verdict verdict = decided(blank_class_verdict(classes_[c]), classes_[c].tolerance, scale,
                                results_[index], above_[index], rules_);
      verdict.reason = explain_class(verdict, scale, results_[index], change_of(classes_[c], verdict));
      weaken(verdict, results_[index], above_[index]);
      out.push_back(std::move(verdict));
      // Measure every member of a class in doubt again: a mean over some is another quantity.
      if (!results_[index].again) continue;
      for (const std::size_t m : classes_[c].mean.members) again_.insert(pinned_.forms[m]->benchmark);
    }
  }

  /// Overrides the verdict of every metric that some round measured only partly or not at all.
  void gaps(std::vector<Verdict>& verdicts) const {
    for (Verdict& verdict : verdicts)
      if (const auto found = gaps_.find(verdict.metric); found != gaps_.end())
        apply_gaps(found->second, verdict);
  }

  const std::set<std::string>& again() const { return again_; }
  const Calibration& calibration() const { return calibration_; }

 private:
  /// Sets the change above which a regression counts, from a provisional baseline and accepted changes.
  void set_thresholds(const baseline::Baseline& baseline, const Policy& policy) {
    for (std::size_t i = 0; i < calibration_.scales.size(); ++i) {
      Scale& scale = calibration_.scales[i];
      const bool metric = i < pinned_.keys.size();
      const std::size_t c = metric ? 0 : i - pinned_.keys.size();
      above_.push_back(metric ? counts_above(baseline, scale)
                              : counts_above(baseline, scale, classes_[c], policy));
      const Verdict on =
          metric ? blank_verdict(pinned_.keys[i], pinned_.forms[i]->form) : blank_class_verdict(classes_[c]);
      const double accepted = accepted_above(baseline, on, scale, rounds_.front().started).value_or(0);
      scale.counts_above = std::max(above_.back(), accepted);
    }
  }

  /// Whether something else held the GPU in the first round and a later round has the metric.
  bool made_good(std::size_t metric) const {
    const bool later = std::any_of(values_[metric].begin(), values_[metric].end(),
                                   [](const RoundValues& round) { return !round.empty(); });
    return later && explain_absence(pinned_.keys[metric], pinned_.forms[metric]->benchmark, now_.front(),
                                    rounds_.front())
                        .occupied;
  }

  bool asked_for(const std::string& benchmark, std::size_t j) const {
    return asked_[j].empty() || asked_[j].count(benchmark) > 0;
  }

  /// The gaps of one round that was asked for the metric; nullopt if enough processes have it.
  std::optional<Absence> gaps_of(std::size_t metric, std::size_t j, const Usual& usual, int asked) const {
    const std::string& key = pinned_.keys[metric];
    const std::string& benchmark = pinned_.forms[metric]->benchmark;
    if (values_[metric][j].empty()) return explain_absence(key, benchmark, now_[j], rounds_[j]);
    return explain_gaps(key, benchmark, now_[j], rounds_[j], usual, asked);
  }

  /// The gaps of the worst round: more processes lack the metric than in any baseline round, or all do.
  /// Ignores occupied rounds if a later one has the metric.
  std::optional<Absence> gaps_of(std::size_t metric) const {
    const std::string& key = pinned_.keys[metric];
    const std::string& benchmark = pinned_.forms[metric]->benchmark;
    int asked = 0;
    for (const std::vector<Collected>* const side : {&then_, &now_})
      for (const Collected& round : *side) asked = std::max(asked, processes_asked(benchmark, round));
    Usual usual;
    for (const Collected& round : then_) usual.add(coverage(key, benchmark, round, asked));
    std::optional<Absence> out;
    for (const std::size_t j : in_time_) {
      if (!asked_for(benchmark, j)) continue;
      std::optional<Absence> gaps = gaps_of(metric, j, usual, asked);
      if (!gaps && out && out->occupied) out.reset();
      if (!gaps || (out && !graver(*gaps, *out))) continue;
      if (j > 0) gaps->reason = fmt::format("round {}: {}", j + 1, gaps->reason);
      out = std::move(gaps);
    }
    return out;
  }

  /// The values of every metric in round j.
  std::vector<RoundValues> in_round(std::size_t j) const {
    std::vector<RoundValues> out;
    for (std::size_t m = 0; m < pinned_.keys.size(); ++m) out.push_back(values_[m][j]);
    return out;
  }

  /// A member's change over all rounds that measured it.
  double change_of(std::size_t metric) const {
    std::vector<double> values;
    for (const RoundValues& round : values_[metric]) {
      if (!round.empty()) values.push_back(median(round));
    }
    return median(values) - calibration_.scales[metric].centre;
  }

  ClassChange change_of(const PinnedClass& found, const Verdict& verdict) const {
    ClassChange out;
    const double mean = step_of(verdict.change.value_or(0), verdict.better);
    const double side = mean < 0 ? -1 : 1;
    std::vector<double> changes;  // + is in the mean's direction
    for (const std::size_t m : found.mean.members) {
      const double change = change_of(m);
      changes.push_back(side * change);
      if (changes.back() > side * mean / 2) ++out.moved;
      if (changes.back() < *std::max_element(changes.begin(), changes.end())) continue;
      out.most_key = pinned_.keys[m];
      out.most_change = relative_of(change, pinned_.forms[m]->form.better);
    }
    out.members = changes.size();
    out.shared = found.shared;
    out.together = median(changes) >= side * mean / 2;
    return out;
  }

  const std::vector<result::Run>& rounds_;
  std::vector<std::set<std::string>> asked_;  ///< benchmarks of each round; empty = all
  std::vector<std::size_t> in_time_;  ///< indices of the rounds, oldest first: two checks may interleave
  GateRules rules_;
  const std::vector<std::string>& left_out_;
  std::vector<double> above_;  ///< counts_above from a provisional baseline, per metric and class mean
  std::vector<Collected> then_;
  std::vector<Collected> now_;
  Pinned pinned_;
  std::vector<std::vector<RoundValues>> values_;
  Calibration calibration_;
  std::vector<PinnedClass> classes_;
  std::vector<GateResult> results_;
  std::set<std::string> again_;
  std::map<std::string, Absence> gaps_;  ///< by metric
};

}  // namespace

Judgement judge_baseline(const std::vector<result::Run>& rounds, const baseline::Baseline& baseline,
                         const Policy& policy) {
  Judgement out;
  if (rounds.empty()) return out;
  Session session(rounds, baseline, policy);
  session.metrics(out.verdicts);
  session.classes(out.verdicts);
  if (policy.provisional_is_advisory && baseline.provisional()) {
    // Missing and failed do not depend on differences between boots.
    for (Verdict& verdict : out.verdicts)
      if (verdict.kind != VerdictKind::missing && verdict.kind != VerdictKind::failed)
        verdict.advisory = true;
  }
  out.remarks = remarks_on(baseline, session.calibration(), policy, rounds);
  apply_accepted(out.verdicts, baseline, policy, rounds.front().started, out.remarks);
  session.gaps(out.verdicts);
  tell_clocks(out.verdicts);
  tell_pace(baseline.runs, rounds, out.verdicts);
  for (std::string& remark : tell_library_choices(baseline.runs, rounds, out.verdicts))
    out.remarks.push_back(std::move(remark));
  // Wrong bits always count, whatever the baseline's age and the policy on times.
  for (Verdict& verdict : judge_checksums_against(rounds, baseline.runs))
    out.verdicts.push_back(std::move(verdict));
  for (Verdict& verdict : out.verdicts) apply_advisory(policy, verdict);
  std::stable_sort(out.verdicts.begin(), out.verdicts.end(),
                   [](const Verdict& a, const Verdict& b) { return a.metric < b.metric; });
  out.request.benchmarks.assign(session.again().begin(), session.again().end());
  if (!out.request.benchmarks.empty())
    out.request.pause_seconds =
        pause_before(static_cast<int>(rounds.size()) + 1, result::is_host(rounds.front().device));
  return out;
}

std::vector<Sensitivity> sensitivity(const baseline::Baseline& baseline, const Policy& policy) {
  const std::vector<Collected> rounds = collect_all(baseline.runs);
  const Pinned pinned = pin(rounds, policy, baseline.other_node);
  std::vector<Series> all = pinned.series;
  std::vector<PinnedClass> classes;
  if (policy.class_means) classes = pin_classes(pinned, calibrate(all, policy.rules), {}, policy);
  for (const PinnedClass& found : classes) all.push_back(found.mean.series);
  const Calibration calibration = calibrate(all, policy.rules);
  std::vector<Sensitivity> out;
  for (std::size_t m = 0; m < all.size(); ++m) {
    const Scale& scale = calibration.scales[m];
    if (scale.rounds < 2) continue;
    const bool metric = m < pinned.keys.size();
    const std::size_t c = metric ? 0 : m - pinned.keys.size();
    const std::string& metric_class = metric ? pinned.forms[m]->form.metric_class : classes[c].metric_class;
    const double above =
        metric ? counts_above(baseline, scale) : counts_above(baseline, scale, classes[c], policy);
    const result::Direction better = metric ? pinned.forms[m]->form.better : classes[c].better();
    out.push_back({metric ? pinned.keys[m] : class_key(metric_class), metric_class,
                   metric ? pinned.forms[m]->form.unit : "1", from_scale(scale.centre, better), scale.spread,
                   relative_of(detectable_change(scale, above, policy.rules), better),
                   metric ? pinned.tolerances[m] : classes[c].tolerance, scale.advisory, scale.rounds,
                   better});
  }
  return out;
}

}  // namespace gpugauge::judge
