// Matches the metrics of two sides, forms class means, and finds metrics that went missing.
#include "judge/sides_of_runs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "judge/class_mean.hpp"
#include "judge/per_clock.hpp"
#include "judge/pinned.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// Spread of tail quantiles relative to medians of the same data.
constexpr double tail_multiple = 3;
constexpr std::size_t processes_for_qn = 3;

/// One metric of one side: its values by boot, and their properties.
struct MetricSide {
  std::map<std::string, std::vector<double>> units;  ///< by boot, in the order of the runs
  const MetricValues* form = nullptr;
  double within_sum = 0;  ///< sum over rounds: variance of the median over processes, times its degrees
  double within_degrees = 0;
  std::vector<double> in_unit;
  double resolution = 0;
  std::size_t runs = 0;

  Side side() const {
    Side out;
    for (const auto& unit : units) out.push_back(unit.second);
    return out;
  }
};

void add(MetricSide& side, const MetricValues& metric, const std::vector<double>& in_unit,
         const std::string& boot) {
  side.form = &metric;
  ++side.runs;
  std::vector<double> values;
  values.reserve(in_unit.size());
  for (const double value : in_unit) values.push_back(to_scale(value, metric.form.better));
  side.units[boot].push_back(median(values));
  side.in_unit.push_back(median(in_unit));
  side.resolution = std::max(side.resolution, metric.form.resolution);
  if (values.size() < processes_for_qn) return;
  const auto count = static_cast<double>(values.size());
  const double degrees = qn_worth(static_cast<int>(values.size())).degrees;
  side.within_sum += degrees * robust_variance(values) * std::numbers::pi / 2 / count;
  side.within_degrees += degrees;
}

using Sides = std::map<std::string, MetricSide>;

/// Collects a side's metrics. Values recorded only take part if the other side judges the metric.
Sides by_metric(const std::vector<Seen>& runs, const Sides& other = {}) {
  Sides out;
  for (const Seen& seen : runs)
    for (const auto& [key, metric] : seen.collected.metrics) {
      const std::vector<double> values = other.count(key) > 0 ? measured(metric) : metric.values;
      if (!values.empty()) add(out[key], metric, values, seen.run->boot_id);
    }
  return out;
}

/// Whether the run was asked for the benchmark.
bool asked_for(const Seen& seen, const std::string& benchmark) {
  const std::vector<std::string>& only = seen.run->only;
  return only.empty() || std::find(only.begin(), only.end(), benchmark) != only.end();
}

/// A run that was asked for a metric but measured it only partly or not at all.
struct Gap {
  const Seen* seen = nullptr;
  bool whole = false;  ///< it does not hold the metric at all
  Absence absence;
};
/// The runs of one side that were asked for a metric.
struct Holding {
  std::size_t asked = 0;
  std::size_t lacking = 0;  ///< of these, the runs that do not hold it
  std::vector<Gap> gaps;    ///< the lacking runs, and those in which more processes than usual lack it
};

bool holds(const Seen& seen, const std::string& key) {
  const auto found = seen.collected.metrics.find(key);
  return found != seen.collected.metrics.end() && !measured(found->second).empty();
}

Holding holding(const std::string& key, const std::string& benchmark, const std::vector<Seen>& runs,
                const Usual& usual, int asked) {
  Holding out;
  for (const Seen& seen : runs) {
    if (!asked_for(seen, benchmark)) continue;
    ++out.asked;
    if (!holds(seen, key)) {
      ++out.lacking;
      out.gaps.push_back({&seen, true, explain_absence(key, benchmark, seen.collected, *seen.run)});
    } else if (auto gap = explain_gaps(key, benchmark, seen.collected, *seen.run, usual, asked)) {
      out.gaps.push_back({&seen, false, std::move(*gap)});
    }
  }
  return out;
}

/// Removes runs in which something else held the GPU, if a later run has the metric.
void forget_made_good(Holding& side, const std::vector<Seen>& runs, const std::string& benchmark) {
  const auto has_gap = [&](const Seen& seen) {
    return std::any_of(side.gaps.begin(), side.gaps.end(), [&](const Gap& gap) { return gap.seen == &seen; });
  };
  std::string last;  // start of the last run without a gap
  for (const Seen& seen : runs)
    if (asked_for(seen, benchmark) && !has_gap(seen)) last = std::max(last, seen.run->started);
  std::erase_if(side.gaps, [&](const Gap& gap) {
    if (!gap.absence.occupied || gap.seen->run->started >= last) return false;
    --side.asked;
    if (gap.whole) --side.lacking;
    return true;
  });
}

const Absence& gravest(const std::vector<Gap>& gaps) {
  return std::max_element(gaps.begin(), gaps.end(),
                          [](const Gap& a, const Gap& b) { return graver(b.absence, a.absence); })
      ->absence;
}

SidesSeries series_of(const MetricSide& before, const MetricSide& after, const result::Metric& form,
                      double relative_tolerance, double assumed_round_spread) {
  SidesSeries out;
  out.before = before.side();
  out.after = after.side();
  out.tolerance = step_of(relative_tolerance, form.better);
  out.group = spread_group(form);
  out.assumed_round_spread = out.group == per_clock_group
                                 ? std::min(assumed_round_spread, per_clock_between_boots)
                                 : assumed_round_spread * (out.group == tail_group ? tail_multiple : 1);
  // The mean of the rounds, not the median: with so few degrees a variance is mostly underestimated, and Qn
  // tolerates one odd process.
  out.within_degrees = before.within_degrees + after.within_degrees;
  if (out.within_degrees > 0)
    out.within_error = std::sqrt((before.within_sum + after.within_sum) / out.within_degrees);
  return out;
}

/// The mean over members of their change from their old centre, boot by boot and round by round.
Side mean_of(const std::vector<MetricOfSides>& metrics, const std::vector<SidesResult>& results,
             const std::vector<std::size_t>& members, Side SidesSeries::*side) {
  Side out = metrics[members.front()].series.*side;
  for (std::size_t unit = 0; unit < out.size(); ++unit) {
    for (std::size_t round = 0; round < out[unit].size(); ++round) {
      double sum = 0;
      for (const std::size_t m : members) sum += (metrics[m].series.*side)[unit][round] - results[m].before;
      out[unit][round] = sum / static_cast<double>(members.size());
    }
  }
  return out;
}

ClassOfSides class_of(const std::string& metric_class, const std::vector<MetricOfSides>& metrics,
                      const std::vector<SidesResult>& results, std::vector<std::size_t> members,
                      const Policy& policy) {
  ClassOfSides out;
  out.metric_class = metric_class;
  out.tolerance = class_mean_tolerance(policy, metric_class);
  out.better = shared_direction(members, [&](std::size_t m) {
                 return metrics[m].form->form.better;
               }).value_or(result::Direction::lower);
  out.series.tolerance = step_of(out.tolerance, out.better);
  out.series.group = class_mean_group;
  out.series.before = mean_of(metrics, results, members, &SidesSeries::before);
  out.series.after = mean_of(metrics, results, members, &SidesSeries::after);
  // A round moves a class together, which its processes do not show; the members' assumed spread applies to
  // the mean.
  out.series.assumed_round_spread = 0;
  for (const std::size_t m : members)
    out.series.assumed_round_spread =
        std::max(out.series.assumed_round_spread, metrics[m].series.assumed_round_spread);
  out.series.assumed_unit_spread = 0;
  for (const std::size_t m : members)
    out.series.assumed_unit_spread =
        std::max(out.series.assumed_unit_spread, metrics[m].series.assumed_unit_spread);
  for (const std::size_t m : members)
    out.series.unit_spread = std::max(out.series.unit_spread, metrics[m].series.unit_spread);
  out.members = std::move(members);
  return out;
}

}  // namespace

std::vector<Seen> see(const std::vector<result::Run>& runs) {
  std::vector<Seen> out;
  out.reserve(runs.size());
  for (const result::Run& run : runs) out.push_back({&run, collect(run)});
  return out;
}

SidesOfRuns sides_of_runs(const std::vector<Seen>& before, const std::vector<Seen>& after,
                          const Policy& policy, double assumed_round_spread) {
  const Sides then = by_metric(before);
  const Sides now = by_metric(after, then);
  SidesOfRuns out;
  for (const auto& [key, side] : then) {
    const result::Metric& form = side.form->form;
    const auto found = now.find(key);
    const bool same = found != now.end() && found->second.form->form.unit == form.unit &&
                      found->second.form->form.better == form.better;
    if (!same) {
      out.one.push_back({key, side.form, true});
      continue;
    }
    const MetricSide& other = found->second;
    MetricOfSides metric;
    metric.key = key;
    metric.form = side.form;
    metric.everywhere = side.runs == before.size() && other.runs == after.size();
    metric.tolerance = tolerance_with_clock(
        policy, form, key, std::max(side.resolution, other.resolution) / median(side.in_unit));
    metric.series = series_of(side, other, form, metric.tolerance, assumed_round_spread);
    out.both.push_back(std::move(metric));
  }
  for (const auto& [key, side] : now)
    if (then.count(key) == 0) out.one.push_back({key, side.form, false});
  return out;
}

std::optional<Absence> gaps_after(const std::string& key, const std::string& benchmark,
                                  const std::vector<Seen>& before, const std::vector<Seen>& after) {
  int asked = 0;
  for (const std::vector<Seen>* const side : {&before, &after})
    for (const Seen& seen : *side) asked = std::max(asked, processes_asked(benchmark, seen.collected));
  Usual usual;
  for (const Seen& seen : before) usual.add(coverage(key, benchmark, seen.collected, asked));
  const Holding then = holding(key, benchmark, before, usual, asked);
  Holding now = holding(key, benchmark, after, usual, asked);
  forget_made_good(now, after, benchmark);
  // The new side may have as large a share of runs without the metric as the old side.
  if (now.lacking * then.asked <= then.lacking * now.asked)
    std::erase_if(now.gaps, [](const Gap& gap) { return gap.whole; });
  if (now.gaps.empty()) return std::nullopt;
  Absence out = gravest(now.gaps);
  const auto absent =
      static_cast<std::size_t>(std::count_if(now.gaps.begin(), now.gaps.end(), [](const Gap& gap) {
        return gap.absence.kind != VerdictKind::inconclusive;
      }));
  if (2 * absent <= now.asked) out.kind = VerdictKind::inconclusive;
  out.reason = fmt::format("in {} of {} runs after: {}", now.gaps.size(), now.asked, out.reason);
  return out;
}

Absence absence_after(const std::string& key, const std::string& benchmark, const std::vector<Seen>& after) {
  std::vector<Gap> gaps;
  for (const Seen& seen : after)
    if (asked_for(seen, benchmark))
      gaps.push_back({&seen, true, explain_absence(key, benchmark, seen.collected, *seen.run)});
  if (gaps.empty()) return explain_absence(key, benchmark, after.front().collected, *after.front().run);
  return gravest(gaps);
}

std::vector<ClassOfSides> classes_of_sides(const std::vector<MetricOfSides>& metrics,
                                           const std::vector<SidesResult>& results, const Policy& policy) {
  std::map<std::string, std::vector<std::size_t>> candidates;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    const bool counted = advisory_rule(policy, metrics[m].key) == nullptr;
    const bool seen = results[m].minimum_detectable_change <= 2 * metrics[m].series.tolerance;
    const bool of_time = !is_per_clock(metrics[m].key);
    if (metrics[m].everywhere && counted && seen && of_time)
      candidates[metrics[m].form->form.metric_class].push_back(m);
  }
  std::vector<ClassOfSides> out;
  for (auto& [metric_class, members] : candidates)
    if (members.size() >= least_members)
      out.push_back(class_of(metric_class, metrics, results, std::move(members), policy));
  return out;
}

}  // namespace gpugauge::judge
