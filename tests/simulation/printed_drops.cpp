// Whether the smallest drop that is printed for a metric is found, and counts, as often as is said.
#include <algorithm>
#include <random>
#include <vector>

#include "judge/provisional.hpp"
#include "nights.hpp"

namespace gpugauge::simulation {
namespace {

using judge::RoundValues;

/// Forty metrics of one machine that know how they spread.
class Fixed {
 public:
  Fixed(std::uint64_t seed, const PrintedCell& cell) : cell_(cell), engine_(seed) {}

  RoundValues round(double shift) { return RoundValues(processes, shift + cell_.spread * normal_(engine_)); }
  judge::Calibration learn(const judge::GateRules& rules) {
    std::vector<judge::Series> series(metrics_of_machine);
    for (judge::Series& metric : series) {
      metric.tolerance = cell_.tolerance;
      for (int k = 0; k < cell_.baseline_rounds; ++k) metric.rounds.push_back(round(0));
    }
    judge::Calibration out = judge::calibrate(series, rules);
    if (cell_.provisional)
      for (judge::Scale& scale : out.scales) scale.counts_above = judge::counts_above_provisional(scale);
    return out;
  }
  /// What becomes of the first metric where it is worse by `drop`.
  judge::GateResult check(const judge::Calibration& calibration, const judge::GateRules& rules, double drop) {
    std::vector<std::vector<RoundValues>> now(metrics_of_machine);
    std::vector<judge::GateResult> results;
    const auto wanted = [&](std::size_t m) { return results.empty() || results[m].again; };
    while (results.empty() || std::any_of(results.begin(), results.end(),
                                          [](const judge::GateResult& result) { return result.again; })) {
      for (std::size_t m = 0; m < now.size(); ++m)
        now[m].push_back(wanted(m) ? round(m == 0 ? drop : 0) : RoundValues{});
      results = judge::decide(calibration, now, rules);
    }
    return results.front();
  }

 private:
  static constexpr std::size_t metrics_of_machine = 40;
  const PrintedCell& cell_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

}  // namespace

PrintedTally printed_drops(const PrintedCell& cell) {
  Fixed machine(20261126, cell);
  const judge::GateRules rules;
  PrintedTally out;
  out.nights = cell.nights;
  for (int night = 0; night < cell.nights; ++night) {
    const judge::Calibration calibration = machine.learn(rules);
    const judge::Scale& scale = calibration.scales.front();
    const double drop = judge::detectable_change(scale, scale.counts_above, rules);
    const judge::GateResult found = machine.check(calibration, rules, drop);
    out.drops += drop;
    out.counted += found.decision == judge::Decision::regressed &&
                   std::min(found.change, found.typical) > scale.counts_above;
  }
  return out;
}

}  // namespace gpugauge::simulation
