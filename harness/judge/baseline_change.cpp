#include "judge/baseline_change.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/class_mean.hpp"
#include "judge/per_clock.hpp"
#include "judge/pinned.hpp"
#include "judge/reasons.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "result/counted.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::judge {
namespace {

/// A difference of two medians may be noise up to this many standard errors.
constexpr double noise_errors = 3;

double error_of(const Sensitivity& before, const Sensitivity& now) {
  return std::max(before.spread, now.spread) *
         std::sqrt(median_variance_factor(before.rounds) + median_variance_factor(now.rounds));
}

bool of_a_class(const Sensitivity& row) {
  return row.metric == class_key(row.metric_class);
}

/// The metrics of one class.
struct Members {
  std::vector<double> steps;
  std::vector<result::Direction> better;
  double variance = 0;  ///< variance of the sum
};

ClassShift shift_of(const std::string& metric_class, const Members& members, const Policy& policy) {
  const double step = mean(members.steps);
  const double noise = noise_errors * std::sqrt(members.variance) / static_cast<double>(members.steps.size());
  std::vector<std::size_t> all(members.better.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto shared = shared_direction(all, [&](std::size_t m) { return members.better[m]; });
  const result::Direction better = shared.value_or(result::Direction::lower);
  return {metric_class, members.steps.size(), relative_of(step, better), shared,
          step > std::max(noise, step_of(tolerance(policy, metric_class), better))};
}

}  // namespace

bool BaselineChange::is_slower() const {
  return !slower.empty() ||
         std::any_of(classes.begin(), classes.end(), [](const ClassShift& one) { return one.slower; });
}

BaselineChange change_between(const baseline::Baseline& before, const baseline::Baseline& now,
                              const Policy& policy) {
  std::map<std::string, Sensitivity> then;
  for (Sensitivity& row : sensitivity(before, policy)) then.emplace(row.metric, row);
  BaselineChange out;
  std::map<std::string, Members> classes;
  for (const Sensitivity& row : sensitivity(now, policy)) {
    const auto found = then.find(row.metric);
    if (found == then.end() || of_a_class(row) || found->second.unit != row.unit) continue;
    const double step = to_scale(row.centre, row.better) - to_scale(found->second.centre, row.better);
    ++out.metrics;
    const double error = error_of(found->second, row);
    if (!is_per_clock(result::metric_name_of(row.metric))) {
      classes[row.metric_class].steps.push_back(step);
      classes[row.metric_class].better.push_back(row.better);
      classes[row.metric_class].variance += error * error;
    }
    if (step > std::max(noise_errors * error, step_of(row.tolerance, row.better)))
      out.slower.push_back({row.metric, relative_of(step, row.better)});
  }
  for (const auto& [metric_class, found] : classes)
    out.classes.push_back(shift_of(metric_class, found, policy));
  std::stable_sort(out.classes.begin(), out.classes.end(), [](const ClassShift& a, const ClassShift& b) {
    return std::abs(a.change) > std::abs(b.change);
  });
  std::stable_sort(out.slower.begin(), out.slower.end(),
                   [](const MetricShift& a, const MetricShift& b) { return a.change > b.change; });
  return out;
}

std::string in_words(const BaselineChange& change) {
  if (change.metrics == 0) return "no metric in common";
  constexpr std::size_t shown = 3;
  std::vector<std::string> classes;
  for (const ClassShift& one : change.classes)
    if (classes.size() < shown)
      classes.push_back(fmt::format(
          "{} {}", one.metric_class,
          amount_of_step(step_of(one.change, one.shared.value_or(result::Direction::lower)), one.shared)));
  std::vector<std::string> metrics;
  for (const MetricShift& one : change.slower)
    if (metrics.size() < shown)
      metrics.push_back(fmt::format("{} ({} worse)", one.metric, percent(one.change)));
  const std::size_t more = change.slower.size() - metrics.size();
  return fmt::format("of {}, by class: {}{}{}{}", result::counted(change.metrics, "metric"),
                     fmt::join(classes, ", "), metrics.empty() ? "" : "; worst: ", fmt::join(metrics, ", "),
                     more > 0 ? fmt::format(" and {} more beyond their tolerance", more) : "");
}

}  // namespace gpugauge::judge
