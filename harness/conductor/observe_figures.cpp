#include "conductor/observe_figures.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "conductor/observe_failures.hpp"
#include "diagnose/vocabulary.hpp"
#include "judge/per_clock.hpp"
#include "judge/pinned.hpp"
#include "judge/products.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::conductor {
namespace {

using diagnose::Observation;
using judge::Verdict;
using judge::VerdictKind;

/// Which figures of the observation show a change, so that no other figure denies it.
class Shown {
 public:
  explicit Shown(const std::vector<Verdict>& verdicts) {
    for (const Verdict& verdict : verdicts) {
      if (verdict.judge != judge::Judge::baseline) continue;
      const bool slower = verdict.kind == VerdictKind::regressed && !verdict.advisory;
      const std::string benchmark = result::benchmark_of(verdict.metric);
      if (judge::is_per_clock(verdict.metric)) {
        if (slower) per_clock_.insert(benchmark);
      } else if (slower || verdict.kind == VerdictKind::improved) {
        moved_.insert(benchmark);
      }
      if (slower && verdict.metric == judge::class_key(verdict.metric_class))
        if (const auto factor = slowness_of(verdict)) means_.emplace(verdict.metric_class, *factor);
    }
  }

  /// One figure per benchmark. Its time gives the slowdown where the time is shown to have moved; otherwise
  /// operations per clock do where they fell. An unchanged result from them would hide the effect of a slow
  /// clock.
  bool by_another(const Verdict& verdict) const {
    const std::string benchmark = result::benchmark_of(verdict.metric);
    if (judge::is_per_clock(verdict.metric))
      return !per_clock_.contains(benchmark) || moved_.contains(benchmark);
    if (verdict.kind != VerdictKind::ok && verdict.kind != VerdictKind::unstable) return false;
    return (per_clock_.contains(benchmark) && !moved_.contains(benchmark)) || by_mean(verdict);
  }

 private:
  /// True for an unchanged verdict, within its own tolerance, that is nearer to its class's mean loss than to
  /// no loss.
  bool by_mean(const Verdict& verdict) const {
    if (verdict.kind != VerdictKind::ok) return false;
    const auto mean = means_.find(verdict.metric_class);
    const std::optional<double> factor = slowness_of(verdict);
    return mean != means_.end() && factor && std::log(*factor) > std::log(mean->second) / 2;
  }

  std::set<std::string> per_clock_;      ///< benchmarks whose operations per clock fell
  std::set<std::string> moved_;          ///< benchmarks whose rate or time moved
  std::map<std::string, double> means_;  ///< slowness of the classes whose mean is slower
};

}  // namespace

std::optional<double> slowness_of(const Verdict& verdict) {
  if (!verdict.value || !verdict.baseline || *verdict.value <= 0 || *verdict.baseline <= 0)
    return std::nullopt;
  return verdict.better == result::Direction::lower ? *verdict.value / *verdict.baseline
                                                    : *verdict.baseline / *verdict.value;
}

void add_figures(const std::vector<Verdict>& judged, Observation& out) {
  // Beside others it was slower all the same: that they may have slowed it is what a diagnosis finds out.
  std::vector<Verdict> verdicts = judged;
  for (Verdict& verdict : verdicts)
    if (verdict.beside_others) verdict.kind = VerdictKind::regressed;
  std::set<std::string> failing;
  const Shown shown(verdicts);
  // A value far below what every healthy machine reaches counts as slower, whatever it was before.
  const auto below_limit = [](const Verdict& verdict) {
    return verdict.judge == judge::Judge::physical && verdict.kind == VerdictKind::failed && verdict.share &&
           *verdict.share > 0 && *verdict.share < 1;
  };
  // One figure per metric. The comparison gives its slowdown; where it was equally slow before, the physical
  // limit does.
  const auto became_slower = [](const Verdict& verdict) {
    return verdict.judge == judge::Judge::baseline && verdict.kind == VerdictKind::regressed &&
           !verdict.advisory && slowness_of(verdict).has_value();
  };
  std::set<std::string> slower, below;
  for (const Verdict& verdict : verdicts)
    if (became_slower(verdict) && !shown.by_another(verdict)) slower.insert(verdict.metric);
  for (const Verdict& verdict : verdicts)
    if (below_limit(verdict) && !slower.contains(verdict.metric)) below.insert(verdict.metric);
  for (const Verdict& verdict : verdicts) {
    if (verdict.metric_class.empty() || shown.by_another(verdict)) continue;
    diagnose::Metric metric;
    metric.metric_class = verdict.metric_class;
    metric.scope.op = verdict.metric;
    if (judge::own_kernels(verdict.metric)) metric.scope.library = diagnose::own_library;
    if (verdict.kind == VerdictKind::failed && !verdict.value) {
      // Both judges may fail the metric; one figure is enough.
      if (!failing.insert(verdict.metric).second) continue;
      metric.fails = true;
      metric.note = error_in(verdict.reason).text;
      out.metrics.push_back(std::move(metric));
      continue;
    }
    if (verdict.value && !verdict.unit.empty()) {
      metric.value = verdict.value;
      metric.unit = verdict.unit;
    }
    if (below_limit(verdict)) {
      if (!below.contains(verdict.metric)) continue;
      metric.factor = 1 / *verdict.share;
      metric.judged = "slower";
      metric.note = std::string(diagnose::against_physical_limit);
      out.metrics.push_back(std::move(metric));
      continue;
    }
    if (verdict.judge != judge::Judge::baseline) continue;
    const bool counted = verdict.kind == VerdictKind::ok || !verdict.advisory;
    if (!counted || below.contains(verdict.metric)) continue;
    if (verdict.kind == VerdictKind::ok) {
      metric.factor = 1;
    } else if (verdict.kind == VerdictKind::unstable) {
      // How slow it is cannot be told. That it spreads is seen all the same.
    } else if (verdict.kind == VerdictKind::regressed || verdict.kind == VerdictKind::improved) {
      metric.factor = slowness_of(verdict);
      if (!metric.factor) continue;
      // The judge knows the noise, so a smaller change suffices than for figures from elsewhere.
      metric.judged = verdict.kind == VerdictKind::regressed ? "slower" : "faster";
    } else {
      continue;
    }
    out.metrics.push_back(std::move(metric));
  }
}

}  // namespace gpugauge::conductor
