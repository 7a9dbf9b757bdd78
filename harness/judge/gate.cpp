// Replays rounds and decides on each metric.
#include "judge/gate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "judge/round_spread.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {

namespace {

/// A round more than this many spreads above the others is an outlier.
constexpr double hiccup_spreads = 4;

/// One metric while the rounds are replayed.
struct Track {
  std::vector<double> x;  ///< round values minus centre
  std::vector<double> process_spreads;
  bool open = true;
  bool reopened = false;  ///< was decided before; the later round that selected it again is no fresh evidence
  bool settled = false;   ///< regressed, and counts
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

/// For a single value, that value.
double second_largest(std::vector<double> x) {
  const auto second = x.size() > 1 ? x.begin() + 1 : x.begin();
  std::nth_element(x.begin(), second, x.end(), std::greater<>());
  return *second;
}

/// Rounds after the first, which selected the metric; the first if it is the only one.
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

/// The change that a noisy metric must show before another round is measured: half of the larger of its
/// detectable change and counts_above. (As if the tolerance were raised until the metric is no longer
/// advisory.)
double least_change(const Scale& scale) {
  return std::max(scale.minimum_detectable_change, scale.counts_above) / 2;
}

bool worth_measuring(const Scale& scale, const Track& track) {
  return !scale.advisory || estimate(scale, track.x).mean > least_change(scale);
}

/// Tests all metrics in doubt after one round, in one direction.
class RoundTest {
 public:
  /// alpha is shared by the rounds after the first, including those added for the baseline's own bad rounds.
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
    // A single outlier dominates the mean, so the median must be worse too.
    enough_.push_back(beyond >= needed_rounds(rounds, calibration_.contamination, count_level_) &&
                      sign_ * found.middle > null_change);
  }

  /// Adds a metric that is not in doubt but was measured. If bad in this round it would have been in doubt,
  /// so it belongs to the hypotheses from which the worst are picked.
  void add_undoubted(std::size_t metric) {
    metrics_.push_back(metric);
    p_values_.push_back(1);
    enough_.push_back(false);
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

/// What a round shows of one metric before the joint tests.
struct Look {
  bool fresh = false;     ///< measured in this round and still open
  bool within = false;    ///< shown not to be worse than the tolerance
  bool faster = false;    ///< looks better than the tolerance
  bool outvoted = false;  ///< within only because the first round is left out
};

Look look(const Scale& scale, const Track& track) {
  const auto within = [&](const Estimate& found) {
    return found.mean + scale.ok_quantile * found.error < scale.tolerance;
  };
  const Estimate all = estimate(scale, track.x);
  // A first round that is an outlier (a hiccup of the host) would raise the mean for good; two fresh rounds
  // outvote it. Otherwise it is kept, because leaving it out would make "ok" too easy.
  const Estimate fresh = estimate(scale, unselected(track));
  const bool outvoted =
      track.x.size() >= 3 && track.x.front() - fresh.mean > hiccup_spreads * scale.spread && within(fresh);
  return {true, within(all) || outvoted, all.mean < -scale.tolerance, outvoted && !within(all)};
}

/// Adds round `index` of one metric; a decided metric is in doubt again.
bool take(Track& track, const Scale& scale, const std::vector<RoundValues>& rounds, std::size_t index) {
  if (track.settled || index >= rounds.size() || rounds[index].empty()) return false;
  track.reopened = track.reopened || !track.open;
  track.open = true;
  track.result = {};
  track.x.push_back(median(rounds[index]) - scale.centre);
  if (rounds[index].size() >= processes_for_spread)
    track.process_spreads.push_back(process_spread(rounds[index]));
  return scale.usable;
}

/// Whether a shown regression lies below counts_above: no round exceeded it, and the interval ends below it.
bool clearly_below(const Scale& scale, const Track& track, const Estimate& found) {
  return found.mean + scale.ok_quantile * found.error < scale.counts_above &&
         *std::max_element(track.x.begin(), track.x.end()) <= scale.counts_above;
}

/// Whether a regression is shown to lie above counts_above. The median of two fresh rounds is their mean,
/// which one outlier dominates, so two of all rounds must lie above it too.
bool clearly_above(const Scale& scale, const Track& track, const Estimate& found) {
  if (std::min(found.mean, found.middle) <= scale.counts_above) return false;
  return scale.counts_above <= 0 || second_largest(track.x) > scale.counts_above;
}

/// Handles a metric that is shown to be worse. If regressions count only above some change, a single round
/// may have shown it. More rounds are requested until they decide on which side of that change it lies.
void close_regressed(Track& track, const Scale& scale, bool last) {
  const Estimate found = estimate(scale, unselected(track));
  track.settled = clearly_above(scale, track, found);
  if (track.settled || last || clearly_below(scale, track, found))
    close(track, Decision::regressed);
  else
    track.result.worse = true;
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
    if (!looks[m].within)
      worse.add(m, tracks[m]);
    else if (tracks[m].reopened)
      worse.add_undoubted(m);
    if (looks[m].faster) better.add(m, tracks[m]);
  }
  const int round = static_cast<int>(index) + 1;
  const bool last = round >= calibration.last_round;
  for (const std::size_t m : worse.confirmed()) close_regressed(tracks[m], calibration.scales[m], last);
  for (const std::size_t m : better.confirmed()) close(tracks[m], Decision::improved);

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
      result.twice = second_largest(track.x);
      if (scale.usable) result.half_width = scale.ok_quantile * found.error;
    }
    out.push_back(result);
  }
  return out;
}

}  // namespace gpugauge::judge
