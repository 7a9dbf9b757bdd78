// What a judge says. Judges are pure: runs in, verdicts and requests out; they never measure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::judge {

/// What a judge found of a metric.
enum class VerdictKind {
  ok,            ///< shown to be within tolerance
  regressed,     ///< shown to be worse by more than a third of the tolerance, confirmed in fresh rounds
  improved,      ///< better than tolerance: the baseline is stale
  inconclusive,  ///< neither could be shown
  unstable,      ///< spread far above the baseline's
  new_metric,    ///< not in the baseline
  missing,       ///< in the baseline, not measured now
  failed,        ///< wrong result, error, implausible: whatever its speed
};

/// Which judge spoke.
enum class Judge { physical, baseline, peers };

/// What one judge says of one metric, or of a process, family or benchmark that went wrong.
struct Verdict {
  VerdictKind kind = VerdictKind::inconclusive;          ///< until something is shown
  Judge judge = Judge::baseline;                         ///< who says it
  std::string metric;                                    ///< result::metric_key
  std::string metric_class;                              ///< one of result::classes; "" of what is no metric
  std::string unit;                                      ///< one of result::units; "" of what is no metric
  result::Direction better = result::Direction::higher;  ///< of value; change has its sign turned already
  /// Now, in unit: what the rounds that the verdict rests on estimate.
  std::optional<double> value;
  /// Centre of the baseline, in unit.
  std::optional<double> baseline;
  /// (value - baseline) / baseline with the sign that makes + worse: .25 = a quarter less bandwidth, or a
  /// quarter more latency.
  std::optional<double> change;
  /// The same of the middle one of the rounds behind it, or what two of all rounds reach where that is less:
  /// one far out does not carry it as it does change; only of a pinned baseline, and in no file.
  std::optional<double> typical;
  /// Half width of the 90% interval of change.
  std::optional<double> interval;
  /// Physical judge: share of the limit, 1 = at the limit.
  std::optional<double> share;
  /// Relative, with 90% power.
  std::optional<double> minimum_detectable_drop;
  double tolerance = 0;  ///< relative
  int rounds = 0;        ///< rounds that the verdict used
  /// Said, never counted: noise hides twice the tolerance, or the verdict has no ground to stand on.
  bool advisory = false;
  std::string reason;  ///< one sentence

  bool operator==(const Verdict&) const = default;  ///< Equal in every member, figures exactly.
};

/// The benchmark of a result::metric_key: "host/triad/one_core" of "host/triad/one_core:bandwidth". What is
/// the name of no metric is returned whole.
std::string benchmark_of(const std::string& metric);

/// Regressed, missing or failed, advisory or not: the kinds that speak against a device.
bool grave(const Verdict& verdict);

/// The word in reports and files: "ok", "regressed", "new" for new_metric.
std::string_view to_string(VerdictKind kind);
std::string_view to_string(Judge judge);  ///< "physical", "baseline", "peers".

}  // namespace gpugauge::judge
