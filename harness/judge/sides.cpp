#include "judge/sides.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// As in the gate: a smaller spread changes no verdict.
constexpr double negligible_share = 0.01;

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of squared deviations from the mean, and its degrees of freedom.
struct Squares {
  double sum = 0;
  double degrees = 0;

  void add(std::span<const double> values) {
    const double middle = mean(values);
    for (const double value : values) sum += (value - middle) * (value - middle);
    degrees += static_cast<double>(values.size()) - 1;
  }
};

std::vector<double> unit_means(const Side& side) {
  std::vector<double> out;
  for (const std::vector<double>& unit : side) out.push_back(mean(unit));
  return out;
}

double rounds_of(const Side& side) {
  double out = 0;
  for (const std::vector<double>& unit : side) out += static_cast<double>(unit.size());
  return out;
}

/// A variance with what it is worth.
struct Variance {
  double value = 0;
  double degrees = 0;
};

/// s_r^2 of every series, moderated over those that have two rounds in one unit.
std::vector<Variance> round_variances(std::span<const SidesSeries> series) {
  std::vector<Variance> out(series.size());
  std::vector<double> values;
  std::vector<double> degrees;
  for (std::size_t m = 0; m < series.size(); ++m) {
    Squares squares;
    for (const Side* side : {&series[m].before, &series[m].after})
      for (const std::vector<double>& unit : *side) squares.add(unit);
    const double least = std::max(negligible_share * series[m].tolerance, series[m].within_error);
    out[m] = {least * least, squares.degrees};
    if (squares.degrees <= 0) continue;
    out[m].value = std::max(out[m].value, squares.sum / squares.degrees);
    values.push_back(out[m].value);
    degrees.push_back(squares.degrees);
  }
  const Prior prior = fit_prior(values, degrees);
  for (Variance& variance : out) {
    if (variance.degrees <= 0) {
      // Nothing repeats: what the other metrics have in common stands in, if there is any.
      if (prior.degrees > 0) variance = {std::max(variance.value, prior.variance), prior.degrees};
      continue;
    }
    const Moderated moderated = moderate(prior, variance.value, variance.degrees);
    variance = {moderated.variance, moderated.degrees};
  }
  return out;
}

/// s_b^2 of one series, pulled towards the assumption.
Variance unit_variance(const SidesSeries& series, const Variance& within, const SidesRules& rules) {
  if (rules.shared_unit) return {0, 1};
  Squares squares;
  for (const Side* side : {&series.before, &series.after}) squares.add(unit_means(*side));
  const double assumed = rules.assumed_spread * rules.assumed_spread;
  if (squares.degrees <= 0) return {assumed, rules.assumed_degrees};
  const double rounds_a_unit = (rounds_of(series.before) + rounds_of(series.after)) /
                               static_cast<double>(series.before.size() + series.after.size());
  const double between = std::max(0.0, squares.sum / squares.degrees - within.value / rounds_a_unit);
  return {(rules.assumed_degrees * assumed + squares.degrees * between) /
              (rules.assumed_degrees + squares.degrees),
          rules.assumed_degrees + squares.degrees};
}

/// Satterthwaite's degrees of freedom of a sum of variances; infinite when both are.
double joint_degrees(double a, double degrees_a, double b, double degrees_b) {
  const double below = (degrees_a > 0 ? a * a / degrees_a : 0) + (degrees_b > 0 ? b * b / degrees_b : 0);
  return below > 0 ? (a + b) * (a + b) / below : std::numeric_limits<double>::infinity();
}

struct Estimate {
  double change = 0;
  double error = 0;
  double degrees = 1;
};

Estimate estimate(const SidesSeries& series, const Variance& within, const SidesRules& rules) {
  const Variance between = unit_variance(series, within, rules);
  const auto reciprocal = [](double a, double b) { return 1 / a + 1 / b; };
  const double a = between.value * reciprocal(static_cast<double>(series.before.size()),
                                              static_cast<double>(series.after.size()));
  const double b = within.value * reciprocal(rounds_of(series.before), rounds_of(series.after));
  const double degrees =
      joint_degrees(a, between.degrees, b, within.degrees > 0 ? within.degrees : rules.assumed_degrees);
  return {mean(unit_means(series.after)) - mean(unit_means(series.before)), std::sqrt(a + b), degrees};
}

}  // namespace

std::vector<SidesResult> compare_sides(std::span<const SidesSeries> series, const SidesRules& rules) {
  for (const SidesSeries& one : series) {
    const auto hollow = [](const Side& side) {
      return side.empty() ||
             std::any_of(side.begin(), side.end(), [](const auto& unit) { return unit.empty(); });
    };
    if (hollow(one.before) || hollow(one.after)) throw std::invalid_argument("each side needs a value");
  }
  const std::vector<Variance> within = round_variances(series);
  std::vector<SidesResult> out;
  std::vector<double> worse;
  std::vector<double> better;
  for (std::size_t m = 0; m < series.size(); ++m) {
    const Estimate found = estimate(series[m], within[m], rules);
    const double tolerance = series[m].tolerance;
    const double null_change = null_share * tolerance;
    SidesResult result;
    result.before = mean(unit_means(series[m].before));
    result.change = found.change;
    result.half_width = t_quantile(1 - rules.gate.alpha_ok, found.degrees) * found.error;
    result.minimum_detectable_change = std::max(
        tolerance,
        null_change + (t_quantile(1 - rules.gate.alpha / 50, found.degrees) + t_quantile(.9, found.degrees)) *
                          found.error);
    if (result.change + result.half_width < tolerance) result.decision = Decision::ok;
    worse.push_back(t_upper_tail((found.change - null_change) / found.error, found.degrees));
    better.push_back(t_upper_tail((-found.change - null_change) / found.error, found.degrees));
    out.push_back(result);
  }
  const std::vector<bool> is_worse = holm(worse, rules.gate.alpha);
  const std::vector<bool> is_better = holm(better, rules.gate.alpha);
  for (std::size_t m = 0; m < out.size(); ++m) {
    if (is_worse[m] && out[m].decision != Decision::ok) out[m].decision = Decision::regressed;
    if (is_better[m] && out[m].change < -series[m].tolerance) out[m].decision = Decision::improved;
  }
  return out;
}

}  // namespace gpugauge::judge
