#include "judge/class_mean.hpp"

#include <algorithm>

#include "judge/statistics.hpp"

namespace gpugauge::judge {

ClassMean class_mean(std::span<const Series> metrics, const Calibration& calibration,
                     std::span<const std::size_t> candidates, double tolerance) {
  ClassMean out;
  std::size_t rounds = 0;
  for (const Series& metric : metrics) rounds = std::max(rounds, metric.rounds.size());
  for (const std::size_t m : candidates) {
    const Scale& scale = calibration.scales[m];
    // The spread between units hides the mean no more than its members; the mean's own sensitivity accounts
    // for it.
    const bool quiet = !scale.advisory || scale.hidden_by_units;
    if (scale.usable && quiet && metrics[m].rounds.size() == rounds) out.members.push_back(m);
  }
  if (out.members.size() < least_members) return {};
  // A difference between nodes moves a whole class and does not average out.
  for (const std::size_t m : out.members)
    out.series.unit_spread = std::max(out.series.unit_spread, metrics[m].unit_spread);
  out.series.tolerance = tolerance;
  out.series.group = class_mean_group;
  for (std::size_t k = 0; k < rounds; ++k) {
    double sum = 0;
    for (const std::size_t m : out.members)
      sum += median(metrics[m].rounds[k]) - calibration.scales[m].centre;
    out.series.rounds.push_back({sum / static_cast<double>(out.members.size())});
  }
  return out;
}

RoundValues class_round(const ClassMean& mean, const Calibration& calibration,
                        std::span<const RoundValues> round) {
  double sum = 0;
  for (const std::size_t m : mean.members) {
    if (round[m].empty()) return {};
    sum += median(round[m]) - calibration.scales[m].centre;
  }
  if (mean.members.empty()) return {};
  return {sum / static_cast<double>(mean.members.size())};
}

}  // namespace gpugauge::judge
