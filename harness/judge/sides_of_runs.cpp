#include "judge/sides_of_runs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "judge/class_mean.hpp"
#include "judge/pinned.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// As tail quantiles spread beside the medians of the same data.
constexpr double tail_multiple = 3;
constexpr std::size_t processes_for_qn = 3;

/// One metric of one side: its values by boot, and what is known of them.
struct MetricSide {
  std::map<std::string, std::vector<double>> units;  ///< by boot, in the order of the runs
  const MetricValues* form = nullptr;
  double within_sum = 0;  ///< variance of the median of a round's processes times its degrees, over rounds
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

/// Of what the other side judges, values that are only recorded here take part.
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

/// Runs that were asked for a metric, and those of them that do not hold it.
struct Holding {
  std::size_t asked = 0;
  std::vector<const Seen*> lacking;
};
Holding holding(const std::string& key, const std::string& benchmark, const std::vector<Seen>& runs) {
  Holding out;
  for (const Seen& seen : runs) {
    if (!asked_for(seen, benchmark)) continue;
    ++out.asked;
    const auto found = seen.collected.metrics.find(key);
    if (found == seen.collected.metrics.end() || measured(found->second).empty())
      out.lacking.push_back(&seen);
  }
  return out;
}

Absence gravest(const std::string& key, const std::string& benchmark, const std::vector<const Seen*>& runs) {
  Absence out = explain_absence(key, benchmark, runs.front()->collected, *runs.front()->run);
  for (const Seen* seen : runs) {
    Absence absence = explain_absence(key, benchmark, seen->collected, *seen->run);
    if (gravity(absence) > gravity(out)) out = std::move(absence);
  }
  return out;
}

SidesSeries series_of(const MetricSide& before, const MetricSide& after, const result::Metric& form,
                      double relative_tolerance, double assumed_round_spread) {
  SidesSeries out;
  out.before = before.side();
  out.after = after.side();
  out.tolerance = step_of(relative_tolerance, form.better);
  out.group = spread_group(form);
  out.assumed_round_spread = assumed_round_spread * (out.group == 0 ? 1 : tail_multiple);
  // The mean and not the median of the rounds: a variance of so few degrees lies mostly below what it is of,
  // and one odd process is nothing to Qn.
  out.within_degrees = before.within_degrees + after.within_degrees;
  if (out.within_degrees > 0)
    out.within_error = std::sqrt((before.within_sum + after.within_sum) / out.within_degrees);
  return out;
}

/// The mean over members of what each moved from its old centre, boot by boot and round by round.
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
  out.series.tolerance = step_of(out.tolerance, result::Direction::lower);
  out.series.group = class_mean_group;
  out.series.before = mean_of(metrics, results, members, &SidesSeries::before);
  out.series.after = mean_of(metrics, results, members, &SidesSeries::after);
  // A round moves a class together: processes inside it say nothing of that, and what is assumed of a member
  // holds for the mean.
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
  const Holding then = holding(key, benchmark, before);
  const Holding now = holding(key, benchmark, after);
  if (now.lacking.size() * then.asked > then.lacking.size() * now.asked) {
    Absence absence = gravest(key, benchmark, now.lacking);
    if (2 * now.lacking.size() <= now.asked) absence.kind = VerdictKind::inconclusive;
    absence.reason = fmt::format("in {} of {} runs after: {}", now.lacking.size(), now.asked, absence.reason);
    return absence;
  }
  int usual = 0;
  for (const Seen& seen : before)
    if (const Coverage found = coverage(key, benchmark, seen.collected); found.judged > 0)
      usual = std::max(usual, found.lacking());
  std::optional<Absence> out;
  for (const Seen& seen : after)
    if (auto gaps = explain_gaps(key, benchmark, seen.collected, *seen.run, usual);
        gaps && (!out || gravity(*gaps) > gravity(*out)))
      out = std::move(gaps);
  return out;
}

Absence absence_after(const std::string& key, const std::string& benchmark, const std::vector<Seen>& after) {
  std::vector<const Seen*> asked;
  for (const Seen& seen : after)
    if (asked_for(seen, benchmark)) asked.push_back(&seen);
  if (asked.empty()) asked.push_back(&after.front());
  return gravest(key, benchmark, asked);
}

std::vector<ClassOfSides> classes_of_sides(const std::vector<MetricOfSides>& metrics,
                                           const std::vector<SidesResult>& results, const Policy& policy) {
  std::map<std::string, std::vector<std::size_t>> candidates;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    const bool counted = advisory_rule(policy, metrics[m].key) == nullptr;
    const bool seen = results[m].minimum_detectable_change <= 2 * metrics[m].series.tolerance;
    if (metrics[m].everywhere && counted && seen) candidates[metrics[m].form->form.metric_class].push_back(m);
  }
  std::vector<ClassOfSides> out;
  for (auto& [metric_class, members] : candidates)
    if (members.size() >= least_members)
      out.push_back(class_of(metric_class, metrics, results, std::move(members), policy));
  return out;
}

}  // namespace gpugauge::judge
