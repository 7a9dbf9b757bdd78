#include "judge/per_clock.hpp"

#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>

#include "judge/reasons.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::judge {
namespace {

/// Whether the verdict is on the median rate per second, the counterpart of operations per clock; not on the
/// window's mean or the best candidate.
bool is_rate(const Verdict& verdict) {
  return verdict.metric.ends_with(":throughput") || verdict.metric.ends_with(":rate");
}

/// The clock is the cause if operations per clock lost less than this share of the rate's loss.
constexpr double clocks_part = 1.0 / 3.0;

/// The clock is unchanged if the rate lost at most this much more than operations per clock.
constexpr double clock_unmoved = .01;

/// Whether the rate's loss exceeds the loss per clock by a fall of the clock.
bool clock_fell_too(double per_clock, double rate) {
  return per_clock < 1 && 1 - (1 - rate) / (1 - per_clock) > clock_unmoved;
}

std::string told_by(const Verdict& per_clock, const Verdict& rate) {
  if (!per_clock.change) return "";
  const double change = *per_clock.change;
  const bool fell = rate.kind == VerdictKind::regressed;  // else no fall is shown
  if (per_clock.kind == VerdictKind::regressed)
    return fmt::format("; operations per clock are {} worse: it is not the SM clock{}", percent(change),
                       clock_fell_too(change, *rate.change) ? " alone" : "");
  if (per_clock.kind != VerdictKind::ok && per_clock.kind != VerdictKind::improved) return "";
  return fmt::format("; operations per clock moved by {:+.1f}% (+ is worse){}", 100 * change,
                     fell && change < clocks_part * *rate.change ? ": it is the SM clock that fell" : "");
}

/// Two products on an H100 lost .05 and .07% per clock for each percent that the clock rose
/// (docs/verdicts.md): far less than a quarter.
constexpr double clocks_multiple = 4;

void allow_for_clock(Verdict& per_clock, const Verdict& rate) {
  if (!per_clock.change || !rate.change) return;
  const double change = *per_clock.change;
  if (-*rate.change * change <= 0 || std::abs(*rate.change) < clocks_multiple * std::abs(change)) return;
  if (per_clock.kind == VerdictKind::regressed) {
    per_clock.advisory = true;
    per_clock.reason += fmt::format(
        "; the rate is {} better, so that the SM clock rose, and memory's share of the "
        "cycles with it: not counted",
        percent(-*rate.change));
  } else if (per_clock.kind == VerdictKind::improved) {
    per_clock.kind = VerdictKind::ok;
    per_clock.reason =
        fmt::format("{} better, since the SM clock fell and memory's did not: the rate is {} worse",
                    percent(-change), percent(*rate.change));
  }
}

}  // namespace

bool is_per_clock(std::string_view metric) {
  return metric.ends_with("_per_clock_per_sm");
}

void tell_clocks(std::vector<Verdict>& verdicts) {
  std::map<std::string, Verdict*> per_clock;
  for (Verdict& verdict : verdicts)
    if (verdict.judge == Judge::baseline && is_per_clock(verdict.metric))
      per_clock.emplace(result::benchmark_of(verdict.metric), &verdict);
  for (Verdict& rate : verdicts) {
    if (rate.judge != Judge::baseline || !is_rate(rate) || !rate.change) continue;
    const auto found = per_clock.find(result::benchmark_of(rate.metric));
    if (found == per_clock.end()) continue;
    if (rate.kind == VerdictKind::regressed || rate.kind == VerdictKind::inconclusive ||
        rate.kind == VerdictKind::unstable)
      rate.reason += told_by(*found->second, rate);
    allow_for_clock(*found->second, rate);
  }
}

}  // namespace gpugauge::judge
