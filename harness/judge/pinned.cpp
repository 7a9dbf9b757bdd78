#include "judge/pinned.hpp"

#include <algorithm>
#include <map>

#include "baseline/baseline.hpp"
#include "judge/judge_peers.hpp"
#include "judge/per_clock.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

static_assert(minimum_baseline_rounds == baseline::minimum_rounds,
              "what is selected first is what can decide");

/// Upper bound of a tolerance on the gate's scale; a loss of everything is not representable.
constexpr double largest_tolerance = .95;
/// A difference of this many clock steps counts as none.
constexpr double clock_steps = 2;

RoundValues on_scale(const MetricValues& metric, const std::vector<double>& values) {
  RoundValues out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(to_scale(value, metric.form.better));
  return out;
}

bool is_tail(std::string_view statistic) {
  return statistic.starts_with('p') || statistic == "maximum" || statistic == "minimum";
}

bool same_kind(const result::Metric& a, const result::Metric& b) {
  return a.unit == b.unit && a.better == b.better && a.metric_class == b.metric_class;
}

}  // namespace

std::vector<Collected> collect_all(const std::vector<result::Run>& runs) {
  std::vector<Collected> out;
  out.reserve(runs.size());
  for (const result::Run& run : runs) out.push_back(collect(run));
  return out;
}

int spread_group(const result::Metric& form) {
  return spread_group(form.name, form.statistic);
}

int spread_group(std::string_view metric, std::string_view statistic) {
  if (is_per_clock(metric)) return per_clock_group;
  return is_tail(statistic) ? tail_group : 0;
}

double tolerance_with_clock(const Policy& policy, const result::Metric& form, const std::string& key,
                            double resolution) {
  return std::min(largest_tolerance,
                  std::max(tolerance(policy, form.metric_class, key), clock_steps * resolution));
}

Pinned pin(const std::vector<Collected>& rounds, const Policy& policy, bool other_node) {
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
      series.rounds.push_back(on_scale(*metric, metric->values));
      in_unit.push_back(median(metric->values));
      resolution = std::max(resolution, metric->form.resolution);
    }
    series.resolution = resolution / median(in_unit);
    series.group = spread_group(form);
    if (other_node) series.unit_spread = between_nodes(form.metric_class, key);
    const double relative = tolerance_with_clock(policy, form, key, series.resolution);
    series.tolerance = step_of(relative, form.better);
    out.keys.push_back(key);
    out.forms.push_back(values.back());
    out.tolerances.push_back(relative);
    out.series.push_back(std::move(series));
  }
  return out;
}

std::vector<std::vector<RoundValues>> values_of(const Pinned& pinned, const std::vector<Collected>& rounds) {
  std::vector<std::vector<RoundValues>> values(pinned.keys.size());
  for (std::size_t m = 0; m < pinned.keys.size(); ++m) {
    for (const Collected& round : rounds) {
      const auto found = round.metrics.find(pinned.keys[m]);
      const bool usable =
          found != round.metrics.end() && same_kind(found->second.form, pinned.forms[m]->form);
      values[m].push_back(usable ? on_scale(found->second, measured(found->second)) : RoundValues{});
    }
  }
  return values;
}

std::string class_key(const std::string& metric_class) {
  return "class/" + metric_class;
}

std::vector<PinnedClass> pin_classes(const Pinned& pinned, const Calibration& calibration,
                                     const std::vector<std::vector<RoundValues>>& now, const Policy& policy) {
  std::map<std::string, std::vector<std::size_t>> candidates;
  for (std::size_t m = 0; m < pinned.keys.size(); ++m) {
    const bool measured = now.empty() || (!now[m].empty() && !now[m].front().empty());
    // A metric that a site made advisory must not count through its class.
    const bool counted = advisory_rule(policy, pinned.keys[m]) == nullptr;
    // The class mean describes rates, which include the clock, so leave out operations per clock.
    const bool of_time = !is_per_clock(pinned.keys[m]);
    if (measured && counted && of_time) candidates[pinned.forms[m]->form.metric_class].push_back(m);
  }
  std::vector<PinnedClass> out;
  for (const auto& [metric_class, metrics] : candidates) {
    PinnedClass made;
    made.metric_class = metric_class;
    made.tolerance = class_mean_tolerance(policy, metric_class);
    made.shared = shared_direction(metrics, [&](std::size_t m) { return pinned.forms[m]->form.better; });
    made.mean = class_mean(pinned.series, calibration, metrics, step_of(made.tolerance, made.better()));
    if (!made.mean.members.empty()) out.push_back(std::move(made));
  }
  return out;
}

}  // namespace gpugauge::judge
