#include "conductor/observe_spread.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "judge/collect.hpp"
#include "judge/gate.hpp"
#include "judge/modes.hpp"
#include "judge/round_spread.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::conductor {
namespace {

constexpr std::size_t least_values = judge::processes_for_spread;

/// What the processes of each run gave, by metric.
using Rounds = std::vector<judge::Collected>;

Rounds collected(const std::vector<result::Run>& runs) {
  Rounds out;
  out.reserve(runs.size());
  for (const result::Run& run : runs) out.push_back(judge::collect(run));
  return out;
}

/// The values of a metric, one list a round.
std::vector<std::vector<double>> values_of(const Rounds& rounds, const std::string& metric) {
  std::vector<std::vector<double>> out;
  for (const judge::Collected& round : rounds)
    if (const auto found = round.metrics.find(metric); found != round.metrics.end())
      out.push_back(found->second.values);
  return out;
}

std::optional<double> variation(const std::vector<double>& values) {
  if (values.size() < least_values) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double out = std::sqrt(squares / (count - 1)) / mean;
  return mean > 0 && std::isfinite(out) ? std::optional(out) : std::nullopt;
}

std::vector<double> on_scale(const std::vector<double>& values, result::Direction better) {
  std::vector<double> out;
  for (const double value : values)
    if (value > 0) out.push_back(judge::to_scale(value, better));
  return out;
}

/// The gap between two groups that a healthy machine does not have; nullopt where its spread is not known.
std::optional<double> least_gap(const judge::Verdict& verdict,
                                const std::vector<std::vector<double>>& before) {
  std::vector<double> spreads;
  for (const std::vector<double>& round : before)
    if (const auto values = on_scale(round, verdict.better); values.size() >= least_values)
      spreads.push_back(judge::process_spread(values));
  if (spreads.empty()) return std::nullopt;
  return std::max(judge::unstable_ratio * judge::median(spreads),
                  judge::null_share * judge::step_of(verdict.tolerance, verdict.better));
}

}  // namespace

void add_spreads(const report::DeviceReport& device, const std::vector<result::Run>* before,
                 diagnose::Observation& out) {
  if (out.metrics.empty()) return;
  std::map<std::string_view, const judge::Verdict*> compared;
  for (const judge::Verdict& verdict : device.verdicts)
    if (verdict.judge == judge::Judge::baseline) compared.try_emplace(verdict.metric, &verdict);
  const Rounds now = collected(device.rounds);
  const Rounds then = before == nullptr ? Rounds() : collected(*before);
  for (diagnose::Metric& metric : out.metrics) {
    const std::string& key = metric.scope.op;
    std::vector<double> all;
    for (const std::vector<double>& round : values_of(now, key))
      all.insert(all.end(), round.begin(), round.end());
    metric.spread = variation(all);
    const auto verdict = compared.find(key);
    if (!metric.spread || verdict == compared.end()) continue;
    if (const auto gap = least_gap(*verdict->second, values_of(then, key)))
      metric.bimodal = judge::two_modes(on_scale(all, verdict->second->better), *gap).has_value();
  }
}

}  // namespace gpugauge::conductor
