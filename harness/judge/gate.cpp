#include "judge/gate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "judge/statistics.hpp"

namespace gpugauge::judge {

namespace {

/// A spread below this share of the tolerance changes no verdict; as a floor it keeps values that repeat
/// exactly (a coarse clock) from dominating the moderation.
constexpr double negligible_share = 0.01;
/// No node is so clean that fewer rounds than this are bad by chance.
constexpr double least_contamination = 0.005;
/// A round so many spreads above the others is not one of them.
constexpr double hiccup_spreads = 4;
/// Fewer values say nothing about two modes.
constexpr std::size_t processes_for_spread = 3;

/// std::hypot of glibc 2.35 would be the newest thing that the command needs; both are far from overflow
/// here.
double root_sum_of_squares(double a, double b) {
  return std::sqrt(a * a + b * b);
}

/// How far the processes of a round lie apart: the largest distance from their median once a fifth of them is
/// left out. One bad process in five is everyday life; two are a second mode, which Qn of five values would
/// not see.
double process_spread(const RoundValues& round) {
  const double middle = median(round);
  std::vector<double> distances;
  for (const double value : round) distances.push_back(std::abs(value - middle));
  std::sort(distances.begin(), distances.end());
  return distances[distances.size() - 1 - distances.size() / 5];
}

std::optional<double> typical_process_spread(std::span<const RoundValues> rounds) {
  std::vector<double> spreads;
  for (const RoundValues& round : rounds) {
    if (round.size() >= processes_for_spread) spreads.push_back(process_spread(round));
  }
  if (spreads.empty()) return std::nullopt;
  return median(spreads);
}

/// Share of baseline rounds that lie beyond `bad_share` of their tolerance and beyond noise: what a bad
/// quarter of an hour does to this node. The upper 95% bound of the share is taken (a Poisson count), since
/// underestimating it lets two bad rounds pass for a regression; but at most `doubt` above the share itself,
/// or small baselines could never find anything.
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

/// No count of bad rounds that could be reached shows anything.
bool blind(const Calibration& calibration, double level) {
  return needed_rounds(extended_rounds, calibration.contamination, level) > extended_rounds;
}

/// Fills in what the baseline's own bad rounds make of the counting. Where tau0 leaves it blind (a third of
/// the rounds slow, each by a little), a round counts from where the baseline's are rare enough: what it has
/// never seen is no chance, however often it was a little slow.
void set_bad_rounds(Calibration& out, std::span<const std::vector<double>> values, double level) {
  out.bad_share = null_share;
  out.contamination = contamination(out.scales, values, out.bad_share);
  if (!blind(out, level)) return;
  std::vector<double> shares;  // how far the baseline's rounds themselves lie out, in tolerances
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
  if (found == shares.end()) return;
  out.bad_share = *found;
  out.contamination = contamination(out.scales, values, out.bad_share);
}

/// The change from which enough rounds are bad with detection_power: one that the counting finds.
double countable_change(const Scale& scale, const Calibration& calibration, double level) {
  const int needed = needed_rounds(calibration.last_round, calibration.contamination, level);
  const double chance = std::min(chance_of_a_round(calibration.last_round, needed, detection_power), .9999);
  const double noise = scale.spread * std::sqrt(1 + median_variance_factor(scale.rounds));
  return calibration.bad_share * scale.tolerance +
         t_quantile(chance, scale.degrees) * root_sum_of_squares(noise, scale.unit_error);
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

/// One metric while the rounds are replayed.
struct Track {
  std::vector<double> x;  ///< round values minus centre
  std::vector<double> process_spreads;
  bool open = true;
  GateResult result;
};

struct Estimate {
  double mean = 0;
  double middle = 0;  ///< median
  double error = 0;   ///< standard error of mean, the baseline's own included
};

Estimate estimate(const Scale& scale, std::span<const double> x) {
  const auto count = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double rounds = scale.spread * std::sqrt(1 / count + median_variance_factor(scale.rounds));
  return {mean, median(x), root_sum_of_squares(rounds, scale.unit_error)};
}

/// Rounds after the one that selected the metric, or that one while there is no other.
std::span<const double> unselected(const Track& track) {
  const std::span<const double> all = track.x;
  return all.size() > 1 ? all.subspan(1) : all;
}

bool spreads_wide(const Scale& scale, const Track& track) {
  if (!scale.process_spread || track.process_spreads.empty()) return false;
  const double spread = median(track.process_spreads);
  return spread > unstable_ratio * *scale.process_spread && spread > null_share * scale.tolerance;
}

void close(Track& track, Decision decision) {
  track.open = false;
  track.result.decision = decision;
}

/// The change that a metric must show before a round is spent on it and before it counts: tau0, or, where
/// noise hides twice the tolerance, half of what can be seen through it (as if the tolerance had been raised
/// until the metric is no longer advisory).
double least_change(const Scale& scale) {
  return scale.advisory ? scale.minimum_detectable_change / 2 : null_share * scale.tolerance;
}

bool worth_measuring(const Scale& scale, const Track& track) {
  return !scale.advisory || estimate(scale, track.x).mean > least_change(scale);
}

/// One round's test over all metrics in doubt, in one direction.
class RoundTest {
 public:
  /// Each round after the first has its share of alpha, those that the baseline's own bad rounds added, too.
  RoundTest(const Calibration& calibration, const GateRules& rules, double sign)
      : calibration_(calibration),
        level_(rules.alpha / std::max(1, calibration.last_round - 1)),
        count_level_(rules.alpha / (2 * std::max(1, calibration.usable))),
        sign_(sign) {}

  void add(std::size_t metric, const Track& track) {
    const Scale& scale = calibration_.scales[metric];
    const double null_change = null_share * scale.tolerance;
    const Estimate found = estimate(scale, unselected(track));
    if (scale.advisory && sign_ * found.mean <= scale.minimum_detectable_change) return;
    const double bad = calibration_.bad_share * scale.tolerance;
    const auto beyond =
        std::count_if(track.x.begin(), track.x.end(), [&](double x) { return sign_ * x > bad; });
    const int rounds = static_cast<int>(track.x.size());
    metrics_.push_back(metric);
    p_values_.push_back(t_upper_tail((sign_ * found.mean - null_change) / found.error, scale.degrees));
    // One round far out carries the mean, whatever the others say: the middle one has to be worse, too.
    enough_.push_back(beyond >= needed_rounds(rounds, calibration_.contamination, count_level_) &&
                      sign_ * found.middle > null_change);
  }

  std::vector<std::size_t> confirmed() const {
    std::vector<std::size_t> out;
    const std::vector<bool> rejected = holm(p_values_, level_);
    for (std::size_t i = 0; i < rejected.size(); ++i) {
      if (rejected[i] && enough_[i]) out.push_back(metrics_[i]);
    }
    return out;
  }

 private:
  const Calibration& calibration_;
  double level_;
  double count_level_;
  double sign_;
  std::vector<std::size_t> metrics_;
  std::vector<double> p_values_;
  std::vector<bool> enough_;
};

/// What a round shows of one metric before the tests over all of them.
struct Look {
  bool fresh = false;     ///< measured in this round and still open
  bool within = false;    ///< shown not to be worse than the tolerance
  bool faster = false;    ///< looks better than the tolerance
  bool outvoted = false;  ///< within only since the first round is left out
};

Look look(const Scale& scale, const Track& track) {
  const auto within = [&](const Estimate& found) {
    return found.mean + scale.ok_quantile * found.error < scale.tolerance;
  };
  const Estimate all = estimate(scale, track.x);
  // A first round that does not belong to the others (a hiccup of the host) would hold the mean up for good:
  // two fresh rounds outvote it. Where it does belong, it is kept: leaving it out would make "ok" too easy.
  const Estimate fresh = estimate(scale, unselected(track));
  const bool outvoted =
      track.x.size() >= 3 && track.x.front() - fresh.mean > hiccup_spreads * scale.spread && within(fresh);
  return {true, within(all) || outvoted, all.mean < -scale.tolerance, outvoted && !within(all)};
}

/// Takes in round `index` of one metric.
bool take(Track& track, const Scale& scale, const std::vector<RoundValues>& rounds, std::size_t index) {
  if (!track.open || index >= rounds.size() || rounds[index].empty()) return false;
  track.x.push_back(median(rounds[index]) - scale.centre);
  if (rounds[index].size() >= processes_for_spread)
    track.process_spreads.push_back(process_spread(rounds[index]));
  return scale.usable;
}

void replay_round(const Calibration& calibration, std::span<const std::vector<RoundValues>> now,
                  const GateRules& rules, std::size_t index, std::vector<Track>& tracks) {
  std::vector<Look> looks(tracks.size());
  RoundTest worse(calibration, rules, 1);
  RoundTest better(calibration, rules, -1);
  for (std::size_t m = 0; m < tracks.size(); ++m) {
    if (!take(tracks[m], calibration.scales[m], now[m], index)) continue;
    looks[m] = look(calibration.scales[m], tracks[m]);
    if (tracks[m].x.size() < 2) continue;
    if (!looks[m].within) worse.add(m, tracks[m]);
    if (looks[m].faster) better.add(m, tracks[m]);
  }
  for (const std::size_t m : worse.confirmed()) close(tracks[m], Decision::regressed);
  for (const std::size_t m : better.confirmed()) close(tracks[m], Decision::improved);

  const int round = static_cast<int>(index) + 1;
  const bool last = round >= calibration.last_round;
  for (std::size_t m = 0; m < tracks.size(); ++m) {
    Track& track = tracks[m];
    if (!track.open) continue;
    const Scale& scale = calibration.scales[m];
    const bool wide = scale.usable && spreads_wide(scale, track);
    const bool patient = !last && !scale.advisory;
    if (looks[m].within) {
      if (patient && looks[m].faster && round < improvement_rounds) continue;
      if (patient && wide && track.x.size() < 2) continue;
      if (looks[m].outvoted) track.result.left_out = track.x.front();
      close(track, wide ? Decision::unstable : Decision::ok);
    } else if (last) {
      close(track, wide ? Decision::unstable : Decision::inconclusive);
    }
  }
}

}  // namespace

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
  // Metrics of one baseline mostly share their degrees of freedom, and a quantile of t is dear.
  std::map<double, std::pair<double, double>> quantiles;
  for (Scale& scale : out.scales) {
    if (scale.rounds < 2) continue;
    const auto [found, added] = quantiles.try_emplace(scale.degrees);
    if (added)
      found->second = {t_quantile(1 - rules.alpha_ok, scale.degrees),
                       detection_quantiles(scale.degrees, rules.alpha, fresh)};
    scale.ok_quantile = found->second.first;
    scale.ok_confidence = 1 - rules.alpha_ok;
    // What units differ by is brought to the scale of that many fresh rounds.
    const double spread = root_sum_of_squares(
        scale.spread, scale.unit_error / std::sqrt(1.0 / fresh + median_variance_factor(scale.rounds)));
    scale.minimum_detectable_change = std::max(
        judge::minimum_detectable_change(scale.tolerance, spread, found->second.second, scale.rounds, fresh),
        countable_change(scale, out, level));
    scale.advisory = scale.minimum_detectable_change > 2 * scale.tolerance;
  }
  return out;
}

std::vector<GateResult> decide(const Calibration& calibration, std::span<const std::vector<RoundValues>> now,
                               const GateRules& rules) {
  if (now.size() != calibration.scales.size())
    throw std::invalid_argument("as many metrics as the baseline has");
  std::vector<Track> tracks(now.size());
  std::size_t measured = 0;
  for (const auto& rounds : now) measured = std::max(measured, rounds.size());
  for (std::size_t index = 0; index < measured; ++index) replay_round(calibration, now, rules, index, tracks);

  std::vector<GateResult> out;
  for (std::size_t m = 0; m < tracks.size(); ++m) {
    Track& track = tracks[m];
    const Scale& scale = calibration.scales[m];
    GateResult& result = track.result;
    result.rounds = static_cast<int>(track.x.size());
    const double sign = result.decision == Decision::improved ? -1 : 1;
    result.beyond = static_cast<int>(std::count_if(
        track.x.begin(), track.x.end(), [&](double x) { return sign * x > null_share * scale.tolerance; }));
    result.again = track.open && scale.usable && !track.x.empty() && worth_measuring(scale, track) &&
                   static_cast<int>(measured) < calibration.last_round;
    if (!track.x.empty() && scale.rounds > 0) {
      const bool selected = result.decision != Decision::ok && result.decision != Decision::unstable;
      const Estimate found =
          estimate(scale, selected || result.left_out ? unselected(track) : std::span<const double>(track.x));
      result.change = found.mean;
      result.typical = found.middle;
      if (scale.usable) result.half_width = scale.ok_quantile * found.error;
    }
    out.push_back(result);
  }
  return out;
}

}  // namespace gpugauge::judge
