// Derives centre, spread and detectable change of each metric from a baseline.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "judge/drawn_median.hpp"
#include "judge/gate.hpp"
#include "judge/round_spread.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {

namespace {

/// A spread below this share of the tolerance changes no verdict. As a floor it keeps values that repeat
/// exactly (a coarse clock) from dominating the moderation.
constexpr double negligible_share = 0.01;
/// Least assumed share of bad rounds, however clean the node.
constexpr double least_contamination = 0.005;

std::optional<double> typical_process_spread(std::span<const RoundValues> rounds) {
  std::vector<double> spreads;
  for (const RoundValues& round : rounds) {
    if (round.size() >= processes_for_spread) spreads.push_back(process_spread(round));
  }
  if (spreads.empty()) return std::nullopt;
  return median(spreads);
}

/// Returns the spread of a round's value; `spread` is the one from its rounds. If processes change between
/// two modes, Qn of a few rounds shows only the usual mode, and a round with more of the other would pass for
/// a regression. Such processes differ within their rounds. The spread is then that of chance, which decides
/// which processes a round gets. A round that is slow as a whole, or one slow process in ten, are not modes.
/// (A metric much noisier than its group, whose spread the moderation reduces, also gets its own spread
/// back.)
double with_two_modes(double spread, std::span<const RoundValues> rounds) {
  std::vector<double> pool, within;
  std::size_t processes = 0;
  for (const RoundValues& round : rounds) {
    if (round.size() < processes_for_spread) continue;
    processes = round.size();
    within.push_back(drawn_median_variance(round, processes));
    pool.insert(pool.end(), round.begin(), round.end());
  }
  const double mean =
      std::accumulate(within.begin(), within.end(), 0.0) / std::max(1.0, static_cast<double>(within.size()));
  if (within.empty() || std::sqrt(mean) < two_modes_ratio * spread) return spread;
  return std::max(spread, std::sqrt(drawn_median_variance(std::move(pool), processes)));
}

/// Share of baseline rounds beyond `bad_share` of their tolerance and beyond noise: the effect of a bad
/// quarter of an hour on this node. Takes the upper 95% bound (a Poisson count), since underestimating it
/// makes two bad rounds a regression. It is at most `doubt` above the share, or small baselines could never
/// find anything.
double contamination(std::span<const Scale> scales, std::span<const std::vector<double>> values,
                     double bad_share) {
  constexpr double doubt = 0.02;
  const auto share = [&](bool quiet_only) -> std::optional<double> {
    int bad = 0;
    int all = 0;
    for (std::size_t m = 0; m < scales.size(); ++m) {
      const Scale& scale = scales[m];
      if (!scale.usable || (quiet_only && 3 * scale.spread > scale.tolerance)) continue;
      const double far = std::max(bad_share * scale.tolerance, 3 * scale.spread);
      for (const double value : values[m]) bad += value - scale.centre > far ? 1 : 0;
      all += scale.rounds;
    }
    if (all == 0) return std::nullopt;
    const double upper = bad + 1.645 * std::sqrt(bad + 1.0) + 1;
    return std::min(upper / all, static_cast<double>(bad) / all + doubt);
  };
  auto found = share(true);
  if (!found) found = share(false);
  return std::clamp(found.value_or(0), least_contamination, 1.0);
}

/// Whether no reachable count of bad rounds shows anything.
bool blind(const Calibration& calibration, double level) {
  return needed_rounds(extended_rounds, calibration.contamination, level) > extended_rounds;
}

/// Sets contamination and bad_share from the baseline's own bad rounds. If tau0 makes the counting blind (a
/// third of the rounds slightly slow), bad_share rises to a level that the baseline's rounds exceed rarely. A
/// change that the baseline never showed is not chance, however often it was slightly slow.
void set_bad_rounds(Calibration& out, std::span<const std::vector<double>> values, double level) {
  out.bad_share = null_share;
  out.contamination = contamination(out.scales, values, out.bad_share);
  if (!blind(out, level)) return;
  std::vector<double> shares;  // distances of the baseline's rounds from the centre, in tolerances
  for (std::size_t m = 0; m < out.scales.size(); ++m) {
    if (!out.scales[m].usable) continue;
    for (const double value : values[m])
      if (const double share = (value - out.scales[m].centre) / out.scales[m].tolerance; share > null_share)
        shares.push_back(share);
  }
  std::sort(shares.begin(), shares.end());
  const auto found = std::partition_point(shares.begin(), shares.end(), [&](double share) {
    out.contamination = contamination(out.scales, values, share);
    return blind(out, level);
  });
  if (found != shares.end()) out.bad_share = *found;
  out.contamination = contamination(out.scales, values, out.bad_share);
}

/// The smallest change at which enough rounds are bad, with detection_power, for the counting to find it.
double countable_change(const Scale& scale, const Calibration& calibration, double level) {
  const int needed = needed_rounds(calibration.last_round, calibration.contamination, level);
  const double chance = std::min(chance_of_a_round(calibration.last_round, needed, detection_power), .9999);
  const double noise = scale.spread * std::sqrt(1 + median_variance_factor(scale.rounds));
  return calibration.bad_share * scale.tolerance +
         t_quantile(chance, scale.degrees) * root_sum_of_squares(noise, scale.unit_error);
}

/// Degrees of freedom of a round's error including the spread between units (Satterthwaite). That spread is
/// assumed, hence known: an error that consists mostly of it is nearly normal. For a single round, since a
/// mean of several has at least as many.
double degrees_with_units(const Scale& scale) {
  const double round = scale.spread * scale.spread * (1 + median_variance_factor(scale.rounds));
  const double share = (round + scale.unit_error * scale.unit_error) / round;
  const double degrees = scale.degrees * share * share;
  constexpr double as_good_as_normal = 1000;
  return degrees < as_good_as_normal ? degrees : std::numeric_limits<double>::infinity();
}

/// Caches quantiles of t, which are expensive; metrics of one baseline mostly share their degrees of freedom.
class Quantiles {
 public:
  Quantiles(const GateRules& rules, int fresh) : rules_(rules), fresh_(fresh) {}
  struct Pair {
    double ok = 0;         ///< for Scale::ok_quantile
    double detection = 0;  ///< detection_quantiles()
  };
  const Pair& of(double degrees) {
    const auto [found, added] = known_.try_emplace(degrees);
    if (added)
      found->second = {t_quantile(1 - rules_.alpha_ok, degrees),
                       detection_quantiles(degrees, rules_.alpha, fresh_)};
    return found->second;
  }

 private:
  const GateRules& rules_;
  int fresh_;
  std::map<double, Pair> known_;
};

/// The smallest change that the gate finds, by the tests or by the counting.
double least_found(const Scale& scale, double detection, int fresh, const Calibration& calibration,
                   double level) {
  // Convert the spread between units to the scale of that many fresh rounds.
  const double spread = root_sum_of_squares(
      scale.spread, scale.unit_error / std::sqrt(1.0 / fresh + median_variance_factor(scale.rounds)));
  return std::max(minimum_detectable_change(scale.tolerance, spread, detection, scale.rounds, fresh),
                  countable_change(scale, calibration, level));
}

/// Replaces each raw spread and its degrees of freedom by the moderated ones of its group.
void moderate_spreads(std::span<const Series> series, std::vector<Scale>& scales) {
  std::map<int, std::vector<std::size_t>> groups;
  for (std::size_t m = 0; m < scales.size(); ++m) {
    if (scales[m].rounds >= 2) groups[series[m].group].push_back(m);
  }
  for (const auto& [group, metrics] : groups) {
    std::vector<double> variances;
    std::vector<double> degrees;
    for (const std::size_t m : metrics) {
      variances.push_back(scales[m].spread * scales[m].spread);
      degrees.push_back(scales[m].degrees);
    }
    const Prior prior = fit_prior(variances, degrees);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const Moderated moderated = moderate(prior, variances[i], degrees[i]);
      scales[metrics[i]].spread = std::sqrt(moderated.variance);
      scales[metrics[i]].degrees = moderated.degrees;
    }
  }
}

}  // namespace

double process_spread(const RoundValues& round) {
  const double middle = median(round);
  std::vector<double> distances;
  for (const double value : round) distances.push_back(std::abs(value - middle));
  std::sort(distances.begin(), distances.end());
  return distances[distances.size() - 1 - distances.size() / 5];
}

Calibration calibrate(std::span<const Series> series, const GateRules& rules) {
  Calibration out;
  std::vector<std::vector<double>> values(series.size());
  for (std::size_t m = 0; m < series.size(); ++m) {
    Scale scale;
    scale.rounds = static_cast<int>(series[m].rounds.size());
    scale.tolerance = series[m].tolerance;
    scale.unit_error = std::sqrt(2.0) * series[m].unit_spread;
    scale.usable = scale.rounds >= minimum_baseline_rounds;
    scale.process_spread = typical_process_spread(series[m].rounds);
    for (const RoundValues& round : series[m].rounds) values[m].push_back(median(round));
    if (!values[m].empty()) scale.centre = median(values[m]);
    if (scale.rounds >= 2) {
      const double least =
          std::max(negligible_share * scale.tolerance, series[m].resolution / std::sqrt(12.0));
      scale.spread = std::max(std::sqrt(robust_variance(values[m])), least);
      scale.degrees = qn_worth(scale.rounds).degrees;
    }
    out.scales.push_back(scale);
  }
  moderate_spreads(series, out.scales);
  for (std::size_t m = 0; m < series.size(); ++m)
    if (out.scales[m].rounds >= 2)
      out.scales[m].spread = with_two_modes(out.scales[m].spread, series[m].rounds);
  out.usable = static_cast<int>(
      std::count_if(out.scales.begin(), out.scales.end(), [](const Scale& scale) { return scale.usable; }));
  const double level = rules.alpha / (2 * std::max(1, out.usable));
  set_bad_rounds(out, values, level);
  out.last_round = rules.max_rounds;
  while (out.last_round < extended_rounds &&
         needed_rounds(out.last_round, out.contamination, level) > out.last_round) {
    ++out.last_round;
  }
  const int fresh = std::max(1, rules.max_rounds - 1);
  Quantiles quantiles(rules, fresh);
  for (Scale& scale : out.scales) {
    if (scale.rounds < 2) continue;
    Scale of_one_unit = scale;
    of_one_unit.unit_error = 0;
    if (scale.unit_error > 0) scale.degrees = degrees_with_units(scale);
    const Quantiles::Pair& its = quantiles.of(scale.degrees);
    scale.ok_quantile = its.ok;
    scale.ok_confidence = 1 - rules.alpha_ok;
    scale.minimum_detectable_change = least_found(scale, its.detection, fresh, out, level);
    scale.advisory = scale.minimum_detectable_change > 2 * scale.tolerance;
    scale.hidden_by_units = scale.advisory && scale.unit_error > 0 &&
                            least_found(of_one_unit, quantiles.of(of_one_unit.degrees).detection, fresh, out,
                                        level) <= 2 * scale.tolerance;
  }
  return out;
}

}  // namespace gpugauge::judge
