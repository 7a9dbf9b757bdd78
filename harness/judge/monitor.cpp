#include "judge/monitor.hpp"

#include <algorithm>
#include <cmath>

#include "judge/accepted.hpp"
#include "judge/collect.hpp"
#include "judge/pinned.hpp"
#include "judge/reasons.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {
namespace {

/// How many nights `started` is later than `last`, negative where it is earlier; 0 where one of them is no time.
double nights_between(const std::string& last, const std::string& started) {
  const std::optional<double> now = result::unix_seconds(started);
  const std::optional<double> before = result::unix_seconds(last);
  return now && before ? (*now - *before) / (least_hours_between_nights * 3600) : 0;
}

/// Adds the night to the metric's sum.
void add(const WatchedNight& one, const std::string& started, double limit, WatchedSum& sum) {
  sum.last = started;
  sum.sum = std::clamp(sum.sum + evidence_of(one.value, one.watched), 0.0, 2 * limit);
  if (sum.sum <= 0) {
    sum = {started, 0, 0, 0, ""};
    return;
  }
  if (sum.nights == 0) sum.since = started;
  sum.total += one.value;
  ++sum.nights;
}

}  // namespace

bool can_be_watched(const Scale& scale) {
  return scale.usable && !scale.advisory && 3 * scale.spread <= scale.tolerance;
}

Watched watched_of(const Scale& scale, double contamination) {
  Watched out;
  out.tolerance = scale.tolerance;
  out.contamination = contamination;
  out.spread = std::max(scale.spread, least_watched_spread(out.tolerance, contamination));
  return out;
}

Night night_of(const result::Run& round, const baseline::Baseline& baseline, const Policy& policy) {
  Night out;
  if (baseline.provisional() || baseline.other_node) return out;
  const std::vector<Collected> then = collect_all(baseline.runs);
  const std::vector<Collected> now = collect_all({round});
  const Pinned pinned = pin(then, policy);
  const Calibration calibration = calibrate(pinned.series, policy.rules);
  const auto values = values_of(pinned, now);
  for (std::size_t m = 0; m < pinned.keys.size(); ++m) {
    const Scale& scale = calibration.scales[m];
    if (!can_be_watched(scale) || advisory_rule(policy, pinned.keys[m]) != nullptr) continue;
    ++out.watched;
    const RoundValues& found = values[m].front();
    if (found.empty()) continue;
    const result::Metric& form = pinned.forms[m]->form;
    const double accepted =
        accepted_above(baseline, blank_verdict(pinned.keys[m], form), scale, round.started).value_or(0);
    WatchedNight night;
    night.metric = pinned.keys[m];
    night.benchmark = pinned.forms[m]->benchmark;
    night.better = form.better;
    night.value = median(found) - scale.centre - std::max(0.0, accepted - scale.tolerance);
    night.tolerance = pinned.tolerances[m];
    night.watched = watched_of(scale, calibration.contamination);
    out.metrics.push_back(std::move(night));
  }
  return out;
}

std::vector<Decline> add_night(Monitor& monitor, const std::string& started, const Night& night) {
  std::vector<Decline> out;
  if (night.metrics.empty()) return out;
  const double limit = alarm_limit(night.watched);
  for (const WatchedNight& one : night.metrics) {
    WatchedSum& sum = monitor[one.metric];
    const double later = sum.last.empty() ? 1 : nights_between(sum.last, started);
    if (later >= 1) add(one, started, limit, sum);
    if (later <= -1) sum.last = started;  // the clock was set back: how much time is past nobody knows
    if (sum.sum >= limit)
      out.push_back({one.metric,
                     one.benchmark,
                     sum.since,
                     sum.nights,
                     relative_of(sum.total / sum.nights, one.better),
                     one.tolerance,
                     {}});
  }
  return out;
}

void confirm(std::vector<Decline>& declines, const Night& another_round) {
  const auto refuted = [&](Decline& decline) {
    if (decline.again) return false;
    const auto found = std::find_if(another_round.metrics.begin(), another_round.metrics.end(),
                                    [&](const WatchedNight& one) { return one.metric == decline.metric; });
    if (found == another_round.metrics.end()) return false;
    decline.again = relative_of(found->value, found->better);
    return found->value <= found->watched.tolerance * null_share;
  };
  std::erase_if(declines, refuted);
}

}  // namespace gpugauge::judge
