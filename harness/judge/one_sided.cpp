// Verdicts without a comparison.
#include "judge/one_sided.hpp"

#include <algorithm>
#include <utility>

#include "judge/absence.hpp"
#include "judge/reasons.hpp"
#include "judge/statistics.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::judge {

Verdict not_measured(const std::string& key, const MetricValues& then, const Collected& now,
                     const result::Run& run) {
  Verdict verdict = blank_verdict(key, then.form);
  verdict.baseline = median(then.values);
  const Absence absence = explain_absence(key, then.benchmark, now, run);
  verdict.kind = absence.kind;
  verdict.reason = absence.reason;
  return verdict;
}

std::vector<Verdict> new_metrics(const Collected& now, const Pinned& pinned,
                                 const std::vector<std::string>& left_out) {
  std::vector<Verdict> out;
  for (const auto& [key, metric] : now.metrics) {
    if (!metric.judged() || std::binary_search(pinned.keys.begin(), pinned.keys.end(), key)) continue;
    if (std::find(left_out.begin(), left_out.end(), result::family_of(key)) != left_out.end()) continue;
    Verdict verdict = blank_verdict(key, metric.form);
    verdict.kind = VerdictKind::new_metric;
    verdict.value = median(metric.values);
    verdict.rounds = 1;
    verdict.reason = "not in the baseline: nothing to compare with";
    out.push_back(std::move(verdict));
  }
  return out;
}

}  // namespace gpugauge::judge
