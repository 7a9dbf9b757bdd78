// Compares two sides by variance components: boots, rounds and processes.
#include "judge/sides.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// As in the gate: a smaller spread changes no verdict.
constexpr double negligible_share = 0.01;

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

/// Variance that rounds leave in a side's mean over its units, in units of one round's variance: sum(1/R_i) /
/// B^2, or 1/R if all units have the same number.
double round_factor(const Side& side) {
  double out = 0;
  for (const std::vector<double>& unit : side) out += 1 / static_cast<double>(unit.size());
  return out / static_cast<double>(side.size() * side.size());
}

/// Mean of 1/rounds over both sides' units.
double mean_reciprocal_rounds(const SidesSeries& series) {
  double out = 0;
  for (const Side* side : {&series.before, &series.after})
    for (const std::vector<double>& unit : *side) out += 1 / static_cast<double>(unit.size());
  return out / static_cast<double>(series.before.size() + series.after.size());
}

/// A variance with its degrees of freedom.
struct Variance {
  double value = 0;
  double degrees = 0;
  bool assumed = false;  ///< not estimated from data: every unit has a single round
};

/// Moderates the variances with degrees of freedom; returns the prior.
Prior moderate_all(std::vector<Variance>& variances) {
  std::vector<double> values;
  std::vector<double> degrees;
  for (const Variance& variance : variances) {
    if (variance.degrees <= 0) continue;
    values.push_back(variance.value);
    degrees.push_back(variance.degrees);
  }
  const Prior prior = fit_prior(values, degrees);
  for (Variance& variance : variances) {
    if (variance.degrees <= 0) continue;
    const Moderated moderated = moderate(prior, variance.value, variance.degrees);
    variance = {moderated.variance, moderated.degrees};
  }
  return prior;
}

/// s_r^2 of the series of one group, in the order of `members`. Estimates from rounds and from processes are
/// moderated separately.
std::vector<Variance> round_variances(std::span<const SidesSeries> series,
                                      std::span<const std::size_t> members, const SidesRules& rules) {
  std::vector<Variance> between(members.size());  // from rounds of one unit
  std::vector<Variance> inside(members.size());   // from the processes of a round
  for (std::size_t i = 0; i < members.size(); ++i) {
    const SidesSeries& one = series[members[i]];
    Squares squares;
    for (const Side* side : {&one.before, &one.after})
      for (const std::vector<double>& unit : *side) squares.add(unit);
    const double least = std::max(negligible_share * one.tolerance, one.within_error);
    between[i] = {least * least, squares.degrees};
    if (squares.degrees > 0)
      between[i].value = std::max(least * least, squares.sum / squares.degrees);
    else if (one.within_error > 0)
      inside[i] = {least * least, one.within_degrees};
  }
  const Prior prior = moderate_all(between);
  moderate_all(inside);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (between[i].degrees > 0) continue;
    // No round repeats: use the other metrics' common variance, else that inside the rounds.
    if (prior.degrees > 0) {
      between[i] = {std::max(between[i].value, prior.variance), prior.worth()};
    } else if (inside[i].degrees > 0) {
      between[i] = inside[i];
    } else {
      const double assumed = series[members[i]].assumed_round_spread;
      between[i] = {std::max(between[i].value, assumed * assumed), rules.assumed_degrees, true};
    }
  }
  return between;
}

std::map<int, std::vector<std::size_t>> by_group(std::span<const SidesSeries> series) {
  std::map<int, std::vector<std::size_t>> out;
  for (std::size_t m = 0; m < series.size(); ++m) out[series[m].group].push_back(m);
  return out;
}

/// s_r^2 of all series, moderated group by group.
std::vector<Variance> round_variances(std::span<const SidesSeries> series, const SidesRules& rules) {
  std::vector<Variance> out(series.size());
  for (const auto& [group, members] : by_group(series)) {
    const std::vector<Variance> found = round_variances(series, members, rules);
    for (std::size_t i = 0; i < members.size(); ++i) out[members[i]] = found[i];
  }
  return out;
}

/// s_b^2, the variance that units (boots) add, from the series' own data. `degrees` is 0 if each side has one
/// unit. If the rounds' variance is assumed, the result includes it, since units of one round show only the
/// sum.
Variance own_unit_variance(const SidesSeries& series, const Variance& within) {
  Squares squares;
  for (const Side* side : {&series.before, &series.after}) squares.add(unit_means(*side));
  if (squares.degrees <= 0) return {};
  const double rounds = within.assumed ? 0 : within.value * mean_reciprocal_rounds(series);
  return {std::max(0.0, squares.sum / squares.degrees - rounds), squares.degrees};
}

double assumed_unit_variance(const SidesSeries& series, const Variance& within) {
  return series.assumed_unit_spread * series.assumed_unit_spread + (within.assumed ? within.value : 0);
}

/// The median of variances with these degrees of freedom is below their mean by this factor (Wilson and
/// Hilferty, 1931).
double median_of_variances(double degrees) {
  const double root = 1 - 2 / (9 * degrees);
  return root * root * root;
}

/// The median ratio of s_b^2 to the assumption over a group.
struct UnitPrior {
  double times = 1;    ///< ratio to the assumed variance; at least 1, since a few similar boots prove little
  double degrees = 0;  ///< degrees of freedom of that ratio
};

/// A boot may move all series together, so they have no more degrees of freedom than one of them. If they
/// contradict the assumption, its degrees shrink smoothly towards theirs, so that slightly more spread
/// changes no verdict; at twice its variance only theirs remain.
UnitPrior unit_prior(std::span<const SidesSeries> series, std::span<const Variance> within,
                     std::span<const std::size_t> members, double assumed_degrees) {
  std::vector<double> ratios;
  std::vector<double> degrees;
  for (const std::size_t m : members) {
    const Variance own = own_unit_variance(series[m], within[m]);
    if (own.degrees <= 0) continue;
    ratios.push_back(own.value / assumed_unit_variance(series[m], within[m]) /
                     median_of_variances(own.degrees));
    degrees.push_back(own.degrees);
  }
  if (ratios.empty()) return {1, assumed_degrees};
  const double times = std::max(1.0, median(ratios));
  const double left = std::min(assumed_degrees, median(degrees));
  return {times, assumed_degrees + std::min(1.0, times - 1) * (left - assumed_degrees)};
}

/// s_b^2 of each series, pulled towards the assumption, scaled up by the group's ratio if that is larger.
std::vector<Variance> unit_variances(std::span<const SidesSeries> series, std::span<const Variance> within,
                                     const SidesRules& rules) {
  std::vector<Variance> out(series.size(), Variance{0, 1});
  if (rules.shared_unit) return out;
  for (const auto& [group, members] : by_group(series)) {
    const UnitPrior common = unit_prior(series, within, members, rules.assumed_degrees);
    for (const std::size_t m : members) {
      const Variance own = own_unit_variance(series[m], within[m]);
      const double prior = common.times * assumed_unit_variance(series[m], within[m]);
      const double weight = rules.assumed_degrees;
      out[m] = {(weight * prior + own.degrees * own.value) / (weight + own.degrees),
                own.degrees + common.degrees};
    }
  }
  return out;
}

/// Satterthwaite's degrees of freedom of a sum of variances; infinite if each part has infinite degrees or is
/// 0. A variance without degrees of freedom counts as one degree.
double joint_degrees(double a, double degrees_a, double b, double degrees_b) {
  const double below = a * a / std::max(1.0, degrees_a) + b * b / std::max(1.0, degrees_b);
  return below > 0 ? (a + b) * (a + b) / below : std::numeric_limits<double>::infinity();
}

struct Estimate {
  double change = 0;
  double error = 0;
  double degrees = 1;
};

Estimate estimate(const SidesSeries& series, const Variance& within, const Variance& between,
                  const SidesRules& rules) {
  const double a = between.value * (1 / static_cast<double>(series.before.size()) +
                                    1 / static_cast<double>(series.after.size()));
  const bool in_units = within.assumed && !rules.shared_unit;
  const double b = in_units ? 0 : within.value * (round_factor(series.before) + round_factor(series.after));
  const double nodes = 2 * series.unit_spread * series.unit_spread;
  double degrees = joint_degrees(a, between.degrees, b, within.degrees);
  // The spread between nodes is assumed, with infinite degrees: it must not count as data.
  if (nodes > 0 && a + b > 0) degrees *= (a + b + nodes) * (a + b + nodes) / ((a + b) * (a + b));
  return {mean(unit_means(series.after)) - mean(unit_means(series.before)), std::sqrt(a + b + nodes),
          degrees};
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
  const std::vector<Variance> within = round_variances(series, rules);
  const std::vector<Variance> between = unit_variances(series, within, rules);
  // Holm's first step over all series judged together; at least 50, as in the gate.
  const double hardest = rules.gate.alpha / static_cast<double>(std::max<std::size_t>(50, series.size()));
  std::vector<SidesResult> out;
  std::vector<double> worse;
  std::vector<double> better;
  for (std::size_t m = 0; m < series.size(); ++m) {
    const Estimate found = estimate(series[m], within[m], between[m], rules);
    const double tolerance = series[m].tolerance;
    const double null_change = null_share * tolerance;
    SidesResult result;
    result.before = mean(unit_means(series[m].before));
    result.change = found.change;
    result.half_width = t_quantile(1 - rules.gate.alpha_ok, found.degrees) * found.error;
    const double power = t_quantile(detection_power, found.degrees);
    result.minimum_detectable_change =
        std::max({tolerance, null_change + (t_quantile(1 - hardest, found.degrees) + power) * found.error,
                  series[m].counts_above > 0 ? series[m].counts_above + power * found.error : 0});
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
