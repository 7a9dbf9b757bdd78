// Compares runs from before and after a change and words the verdicts.
#include "judge/before_after.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "judge/absence.hpp"
#include "judge/checksum_sides.hpp"
#include "judge/class_mean.hpp"
#include "judge/judge_peers.hpp"
#include "judge/library_choices.hpp"
#include "judge/pace.hpp"
#include "judge/per_clock.hpp"
#include "judge/pinned.hpp"
#include "judge/reasons.hpp"
#include "judge/scale.hpp"
#include "judge/sides_of_runs.hpp"
#include "judge/statistics.hpp"
#include "result/counted.hpp"

namespace gpugauge::judge {
namespace {

/// Assumed spread between two processes of another program, which nobody measured. Our own host metrics
/// spread by .4 to 2.5% between rounds.
constexpr double foreign_spread = .02;
/// Assumed spread between our own rounds, if none repeats and each is a single process.
constexpr double native_spread = .02;
/// With fewer boots per side the data do not show how far a drift moves a whole class.
constexpr std::size_t boots_for_confidence = 3;
/// Boots of a healthy GPU differed by 1%, with a tolerance of 3%. Metrics with a larger tolerance within one
/// boot (launches, collectives, hosts) also differ more between boots.
constexpr double least_between_boots = .01;
constexpr double boot_share = 1.0 / 3.0;

/// Assumed difference between boots of one machine in a metric, independent of the policy's tolerance.
double between_boots(const std::string& metric_class, const std::string& key) {
  if (is_per_clock(key)) return per_clock_between_boots;
  return std::max(least_between_boots, boot_share * tolerance(Policy{}, metric_class));
}

/// The known boots. A run without an id is of an unknown boot, and two such runs may be of different boots.
std::set<std::string> boots(const std::vector<result::Run>& runs) {
  std::set<std::string> out;
  for (const result::Run& run : runs)
    if (!run.boot_id.empty()) out.insert(run.boot_id);
  return out;
}

std::ptrdiff_t without_boot(const std::vector<result::Run>& runs) {
  return std::count_if(runs.begin(), runs.end(), [](const result::Run& run) { return run.boot_id.empty(); });
}

/// "2 boots", "unknown boots".
std::string boots_in_words(const std::vector<result::Run>& runs) {
  const std::size_t known = boots(runs).size();
  if (without_boot(runs) == 0) return result::counted(known, "boot");
  return known == 0 ? "unknown boots" : fmt::format("{} and unknown ones", result::counted(known, "boot"));
}

/// Whether all runs of both sides are from one known boot.
bool of_one_boot(const std::vector<result::Run>& before, const std::vector<result::Run>& after) {
  return without_boot(before) + without_boot(after) == 0 && boots(before).size() == 1 &&
         boots(before) == boots(after);
}

/// The spread of the sides' values, which a difference must exceed.
struct Spread {
  const char* of = "";      ///< "these rounds, all of one boot,"
  double confidence = .95;  ///< confidence of an ok
};

/// "only a drop of 12.0% could be": the smallest drop that would be visible.
std::string could_be_shown(const Verdict& verdict) {
  const double least = verdict.minimum_detectable_drop.value_or(0);
  if (can_drop_by(least)) return fmt::format("only a drop of {} could be", detectable(least));
  // Nothing can drop by more than 100%, but a time can grow further.
  return verdict.better == result::Direction::higher
             ? "no drop of it could be"
             : fmt::format("only where it is {} worse it could be", detectable(least));
}

std::string explain(const Verdict& verdict, const SidesResult& result, const Spread& spread) {
  const double change = verdict.change.value_or(0);
  const std::string limits = fmt::format("tolerance {}", percent(verdict.tolerance));
  switch (verdict.kind) {
    case VerdictKind::ok:
      return fmt::format(
          "{} ({})", at_most_worse(verdict, result.change + result.half_width, spread.confidence), limits);
    case VerdictKind::regressed:
      return fmt::format("{} worse than before, beyond what {} explain ({})", percent(change), spread.of,
                         limits);
    case VerdictKind::improved:
      return fmt::format("{} better than before", percent(-change));
    default:
      return fmt::format(
          "{} {} +- {}: neither within tolerance nor worse can be shown by these data; {} ({})",
          percent(std::abs(change)), change < 0 ? "better" : "worse", percent(verdict.interval.value_or(0)),
          could_be_shown(verdict), limits);
  }
}

Verdict decided(const std::string& key, const result::Metric& form, double relative_tolerance,
                const SidesResult& result, std::size_t rounds, const Spread& spread) {
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
  verdict.reason = explain(verdict, result, spread);
  return verdict;
}

bool foreign(const std::vector<result::Run>& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const result::Run& run) { return run.profile == "google-benchmark"; });
}

/// Whether any run of one side is from another node or card than the other side's first run.
bool of_two_nodes(const std::vector<result::Run>& before, const std::vector<result::Run>& after) {
  const auto of_another_than = [](const result::Run& first) {
    return [&first](const result::Run& run) { return baseline::of_two_machines(first, run); };
  };
  return std::any_of(after.begin(), after.end(), of_another_than(before.front())) ||
         std::any_of(before.begin(), before.end(), of_another_than(after.front()));
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

/// "1.0%", "1.0% to 3.3%": the assumed difference between boots, over the metrics of both sides.
std::string assumed_boots(const SidesOfRuns& sides) {
  if (sides.both.empty()) return percent(least_between_boots);
  const auto [least, most] =
      std::minmax_element(sides.both.begin(), sides.both.end(), [](const auto& a, const auto& b) {
        return a.series.assumed_unit_spread < b.series.assumed_unit_spread;
      });
  const std::string from = percent(least->series.assumed_unit_spread);
  const std::string to = percent(most->series.assumed_unit_spread);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::vector<std::string> how_measured(const std::vector<result::Run>& before,
                                      const std::vector<result::Run>& after, bool shared,
                                      const std::vector<double>& drops, const SidesOfRuns& sides,
                                      double assumed_degrees, const std::string& once_more) {
  std::vector<std::string> out;
  const double middle = drops.empty() ? 0 : median(drops);
  if (!drops.empty() && can_drop_by(middle))
    out.push_back(fmt::format("These data can show a drop of {} (median over {}) with 90% probability.",
                              detectable(middle), result::counted(drops.size(), "metric")));
  else if (!drops.empty())
    out.push_back(fmt::format("These data can show no drop: the middle one of {} would have to be {} worse.",
                              result::counted(drops.size(), "metric"), detectable(middle)));
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
      "{} of {} before, {} of {} after; {}.", result::counted(before.size(), "round"), boots_in_words(before),
      result::counted(after.size(), "round"), boots_in_words(after),
      shared ? "both within the same boot, so that the round is the unit" : "the boot is the unit"));
  const std::ptrdiff_t unknown = without_boot(before) + without_boot(after);
  if (unknown > 0)
    out.push_back(
        fmt::format("{} of {} runs hold no boot id: they are taken for one boot a side and never for the "
                    "same one on both, and how boots differ is partly assumed ({}).",
                    unknown, before.size() + after.size(), assumed_boots(sides)));
  else if (!shared && static_cast<double>(boots(before).size() + boots(after).size()) < assumed_degrees + 2)
    out.push_back(fmt::format("{} on one side and {} on the other: how boots differ is partly assumed ({}).",
                              result::counted(boots(before).size(), "boot"), boots(after).size(),
                              assumed_boots(sides)));
  if (returned(before, after))
    out.emplace_back(
        "The old side was measured before and after the new one (A/B/A): a drift of the machine would show "
        "as a spread of the old side.");
  else if (!once_more.empty())
    out.push_back(fmt::format(
        "Where the old stack can be booted again, {} (A/B/A): it tells the change from a drift of the "
        "machine.",
        once_more));
  return out;
}

/// Turns both sides into verdicts: metrics first, then class means.
class TwoSides {
 public:
  TwoSides(const std::vector<result::Run>& before, const std::vector<result::Run>& after,
           const Policy& policy)
      : before_(before), after_(after), then_(see(before)), now_(see(after)) {
    const bool files = foreign(before) || foreign(after);
    rules_.gate = policy.rules;
    rules_.shared_unit = of_one_boot(before, after) && !files;
    spread_ = {files                ? "these files"
               : rules_.shared_unit ? "these rounds, all of one boot,"
                                    : "rounds and boots",
               1 - rules_.gate.alpha_ok};
    // Each file of another program counts as a boot of one round; the assumed spread is that of the boot.
    sides_ = sides_of_runs(then_, now_, policy, files ? 0 : native_spread);
    other_node_ = !files && of_two_nodes(before, after);
    for (MetricOfSides& metric : sides_.both)
      metric.series.assumed_unit_spread =
          files ? foreign_spread : between_boots(metric.form->form.metric_class, metric.key);
    if (other_node_)
      for (MetricOfSides& metric : sides_.both)
        metric.series.unit_spread = between_nodes(metric.form->form.metric_class, metric.key);
    std::vector<SidesSeries> series;
    for (const MetricOfSides& metric : sides_.both) series.push_back(metric.series);
    results_ = compare_sides(series, rules_);
    if (!policy.class_means) return;
    classes_ = classes_of_sides(sides_.both, results_, policy);
    for (ClassOfSides& found : classes_) {
      if (!enough_boots()) found.series.counts_above = counts_above(found, policy);
      series.push_back(found.series);
    }
    results_ = compare_sides(series, rules_);
  }

  void metrics(std::vector<Verdict>& out) const {
    for (std::size_t m = 0; m < sides_.both.size(); ++m) {
      const MetricOfSides& metric = sides_.both[m];
      Verdict verdict =
          decided(metric.key, metric.form->form, metric.tolerance, results_[m], after_.size(), spread_);
      if (verdict.kind == VerdictKind::regressed && metric.series.group == tail_group && assumed()) {
        verdict.kind = VerdictKind::inconclusive;
        verdict.reason = fmt::format(
            "{} worse than before, by one process a side: how tail quantiles vary from process to process is "
            "not known here, and no assumption makes it a finding; measure several rounds a side",
            percent(*verdict.change));
      }
      if (const auto gaps = gaps_after(metric.key, metric.form->benchmark, then_, now_))
        apply_gaps(*gaps, verdict);
      out.push_back(std::move(verdict));
    }
  }

  void classes(std::vector<Verdict>& out) const {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const ClassOfSides& found = classes_[c];
      result::Metric form;
      form.unit = "1";
      form.better = found.better;
      form.metric_class = found.metric_class;
      Verdict verdict = decided(class_key(found.metric_class), form, found.tolerance,
                                results_[sides_.both.size() + c], after_.size(), spread_);
      verdict.reason = fmt::format("geometric mean of {} metrics: {}", found.members.size(), verdict.reason);
      const double above = relative_of(found.series.counts_above, form.better);
      if (verdict.kind == VerdictKind::regressed && *verdict.change <= above) {
        verdict.advisory = true;
        verdict.reason += fmt::format("; from fewer than {} boots a side it counts above {}",
                                      boots_for_confidence, percent(above));
      }
      if (verdict.kind == VerdictKind::inconclusive &&
          *verdict.minimum_detectable_drop > 2 * verdict.tolerance)
        verdict.advisory = true;
      out.push_back(std::move(verdict));
    }
  }

  void one_sided(std::vector<Verdict>& out) const {
    for (const MetricOfOneSide& metric : sides_.one) {
      Verdict verdict = blank_verdict(metric.key, metric.form->form);
      if (metric.before) {
        const Absence absence = absence_after(metric.key, metric.form->benchmark, now_);
        verdict.kind = absence.kind;
        verdict.reason = absence.reason;
        verdict.baseline = median(metric.form->values);
      } else {
        verdict.kind = VerdictKind::new_metric;
        verdict.value = median(metric.form->values);
        verdict.reason = "not on the before side: nothing to compare with";
      }
      out.push_back(std::move(verdict));
    }
  }

  std::vector<std::string> remarks(const std::string& once_more) const {
    std::vector<double> drops;
    for (std::size_t m = 0; m < sides_.both.size(); ++m)
      drops.push_back(relative_of(results_[m].minimum_detectable_change, sides_.both[m].form->form.better));
    std::vector<std::string> out =
        how_measured(before_, after_, rules_.shared_unit, drops, sides_, rules_.assumed_degrees, once_more);
    if (other_node_)
      out.push_back(fmt::format("The two sides are of two nodes or cards: {}", nodes_may_differ()));
    if (!drops.empty() && assumed())
      out.push_back(
          fmt::format("No round repeats within a boot, and each is a single process: how rounds differ is "
                      "assumed ({}, tail quantiles three times as much). Measure several rounds a side.",
                      percent(native_spread)));
    return out;
  }

 private:
  bool enough_boots() const {
    return std::min(boots(before_).size(), boots(after_).size()) >= boots_for_confidence;
  }

  /// A drift of the machine moves a whole class. Until boots show how far, only more than the class's own
  /// tolerance counts. A step.
  static double counts_above(const ClassOfSides& found, const Policy& policy) {
    return std::max(found.series.tolerance, step_of(tolerance(policy, found.metric_class), found.better));
  }

  /// Whether the spread of our own rounds is assumed: no round repeats and each is one process. (Another
  /// program's files always need an assumption, reported with them.)
  bool assumed() const {
    return !foreign(before_) && !foreign(after_) &&
           std::none_of(sides_.both.begin(), sides_.both.end(), [](const MetricOfSides& metric) {
             return metric.series.within_error > 0 || has_repetition(metric.series);
           });
  }

  static bool has_repetition(const SidesSeries& series) {
    const auto twice = [](const std::vector<double>& unit) { return unit.size() > 1; };
    return std::any_of(series.before.begin(), series.before.end(), twice) ||
           std::any_of(series.after.begin(), series.after.end(), twice);
  }

  const std::vector<result::Run>& before_;
  const std::vector<result::Run>& after_;
  std::vector<Seen> then_;
  std::vector<Seen> now_;
  SidesRules rules_;
  bool other_node_ = false;  ///< the sides come from two nodes or cards
  Spread spread_;
  SidesOfRuns sides_;
  std::vector<ClassOfSides> classes_;
  std::vector<SidesResult> results_;
};

}  // namespace

BeforeAfter judge_before_after(const std::vector<result::Run>& before, const std::vector<result::Run>& after,
                               const Policy& policy, const std::string& once_more) {
  if (before.empty() || after.empty()) throw std::invalid_argument("each side needs a run");
  const TwoSides comparison(before, after, policy);
  BeforeAfter out;
  comparison.metrics(out.verdicts);
  comparison.classes(out.verdicts);
  comparison.one_sided(out.verdicts);
  tell_clocks(out.verdicts);
  tell_pace(before, after, out.verdicts);
  std::vector<std::string> otherwise = tell_library_choices(before, after, out.verdicts);
  for (Verdict& verdict : judge_checksums_against(after, before)) out.verdicts.push_back(std::move(verdict));
  for (Verdict& verdict : out.verdicts) apply_advisory(policy, verdict);
  std::sort(out.verdicts.begin(), out.verdicts.end(),
            [](const Verdict& a, const Verdict& b) { return a.metric < b.metric; });
  out.remarks = comparison.remarks(once_more);
  out.remarks.insert(out.remarks.end(), otherwise.begin(), otherwise.end());
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
  // Promise only what will be judged: a class with too many noisy members has no mean.
  std::erase_if(out, [&](const Sensitivity& row) { return drops.count(row.metric) == 0; });
  for (Sensitivity& row : out) {
    row.advisory = false;
    row.minimum_detectable_drop = drops.at(row.metric);
  }
  return out;
}

}  // namespace gpugauge::judge
