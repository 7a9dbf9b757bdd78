#include "judge/per_clock.hpp"

#include <map>
#include <string>

#include <fmt/format.h>

#include "judge/reasons.hpp"

namespace gpugauge::judge {
namespace {

/// The median rate of a product in a second, which operations per clock are formed beside: neither the
/// window's mean nor the best of the candidates.
bool is_rate(const Verdict& verdict) {
  return verdict.metric.ends_with(":throughput") || verdict.metric.ends_with(":rate");
}

/// Of a loss that operations per clock do not share to this part or more, the clock is the reason.
constexpr double clocks_part = 1.0 / 3.0;

std::string told_by(const Verdict& per_clock, const Verdict& rate) {
  if (!per_clock.change) return "";
  const double change = *per_clock.change;
  const bool fell = rate.kind == VerdictKind::regressed;  // else nothing is shown to have
  if (per_clock.kind == VerdictKind::regressed)
    return fmt::format("; operations per clock are {} worse: it is not the SM clock alone", percent(change));
  if (per_clock.kind != VerdictKind::ok && per_clock.kind != VerdictKind::improved) return "";
  return fmt::format("; operations per clock moved by {:+.1f}% (+ is worse){}", 100 * change,
                     fell && change < clocks_part * *rate.change ? ": it is the SM clock that fell" : "");
}

}  // namespace

bool is_per_clock(std::string_view metric) {
  return metric.ends_with("_per_clock_per_sm");
}

void tell_clocks(std::vector<Verdict>& verdicts) {
  std::map<std::string, const Verdict*> per_clock;
  for (const Verdict& verdict : verdicts)
    if (verdict.judge == Judge::baseline && is_per_clock(verdict.metric))
      per_clock.emplace(benchmark_of(verdict.metric), &verdict);
  for (Verdict& verdict : verdicts) {
    if (verdict.judge != Judge::baseline || !is_rate(verdict)) continue;
    if (verdict.kind != VerdictKind::regressed && verdict.kind != VerdictKind::inconclusive &&
        verdict.kind != VerdictKind::unstable)
      continue;
    if (!verdict.change) continue;
    const auto found = per_clock.find(benchmark_of(verdict.metric));
    if (found != per_clock.end()) verdict.reason += told_by(*found->second, verdict);
  }
}

}  // namespace gpugauge::judge
