// The verdicts of the judges. Judges are pure: they turn runs into verdicts and requests, and never measure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::judge {

/// A judge's finding on a metric.
enum class VerdictKind {
  ok,            ///< shown to be within tolerance
  regressed,     ///< shown to be worse by more than a third of the tolerance, confirmed in fresh rounds
  improved,      ///< better by more than the tolerance: the baseline is stale
  inconclusive,  ///< neither ok nor worse could be shown
  unstable,      ///< the spread is far above the baseline's
  new_metric,    ///< not in the baseline
  missing,       ///< in the baseline, not measured now
  failed,        ///< wrong result, error or impossible value, at any speed
};

/// The judge that gave a verdict.
enum class Judge { physical, baseline, peers };

/// One judge's verdict on one metric, or on a process, family or benchmark that went wrong.
struct Verdict {
  VerdictKind kind = VerdictKind::inconclusive;  ///< the default until something is shown
  Judge judge = Judge::baseline;                 ///< which judge
  std::string metric;                            ///< result::metric_key
  std::string metric_class;                      ///< one of result::classes; "" if not a metric
  std::string unit;                              ///< one of result::units; "" if not a metric
  /// direction of value; `change` already has its sign adjusted
  result::Direction better = result::Direction::higher;
  /// The present value in unit, estimated from the rounds that the verdict uses.
  std::optional<double> value;
  /// Centre of the baseline, in unit.
  std::optional<double> baseline;
  /// (value - baseline) / baseline, with the sign chosen so that + is worse: .25 = a quarter less bandwidth,
  /// or a quarter more latency.
  std::optional<double> change;
  /// Change of the median of these rounds, or the change that two of all rounds reach if that is smaller.
  /// Unlike `change`, a single outlier does not move it. Only with a pinned baseline; not written to files.
  std::optional<double> typical;
  /// Half width of the 90% interval of change.
  std::optional<double> interval;
  /// Physical judge: share of the limit, 1 = at the limit.
  std::optional<double> share;
  /// Physical judge, rates of products: the share of the peak at the GPU's highest SM clock, while `share` is of
  /// the peak at the clock that was measured. Never a limit: power lowers the clock of healthy cards.
  std::optional<double> share_at_highest_clock;
  /// Relative, with 90% power.
  std::optional<double> minimum_detectable_drop;
  double tolerance = 0;  ///< relative
  int rounds = 0;        ///< rounds that the verdict used
  /// Reported, never counted: noise hides twice the tolerance, or the verdict lacks a basis.
  bool advisory = false;
  /// Physical judge: a setting that the site may have made on purpose explains it, and nothing points to a
  /// fault. A policy may call it advisory. Not written to files.
  bool may_be_meant = false;
  /// It was regressed, and other processes kept the GPU busy when each of its rounds began. Not written to files.
  bool beside_others = false;
  /// A person accepted this change of the baseline; it is advisory for that. Not written to files.
  bool accepted = false;
  std::string reason;  ///< one sentence

  bool operator==(const Verdict&) const = default;  ///< Equal in every member, figures exactly.
};

/// Whether the kind speaks against a device: regressed, missing or failed.
bool grave(VerdictKind kind);
/// The same of a verdict, advisory or not.
inline bool grave(const Verdict& verdict) {
  return grave(verdict.kind);
}

/// The word in reports and files: "ok", "regressed", "new" for new_metric.
std::string_view to_string(VerdictKind kind);
/// The kind of which that is the word; nullopt for any other.
std::optional<VerdictKind> verdict_kind(std::string_view word);
std::string_view to_string(Judge judge);  ///< "physical", "baseline", "peers".

}  // namespace gpugauge::judge
