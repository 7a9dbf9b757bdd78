// What a judge says. Judges are pure: runs in, verdicts and requests out; they never measure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::judge {

enum class VerdictKind {
  ok,            ///< shown to be within tolerance
  regressed,     ///< shown to be worse than tolerance, confirmed in fresh rounds
  improved,      ///< better than tolerance: the baseline is stale
  inconclusive,  ///< neither could be shown
  unstable,      ///< spread far above the baseline's
  new_metric,    ///< not in the baseline
  missing,       ///< in the baseline, not measured now
  failed,        ///< wrong result, error, implausible: whatever its speed
};

/// Which judge spoke.
enum class Judge { physical, baseline, peers };

struct Verdict {
  VerdictKind kind = VerdictKind::inconclusive;
  Judge judge = Judge::baseline;
  std::string metric;  ///< result::metric_key
  std::string metric_class;
  std::string unit;
  result::Direction better = result::Direction::higher;
  std::optional<double> value;                    ///< now: median over the rounds' values, in unit
  std::optional<double> baseline;                 ///< centre of the baseline, in unit
  std::optional<double> change;                   ///< relative, + is worse: .25 = a quarter slower
  std::optional<double> interval;                 ///< half width of the 90% interval of change
  std::optional<double> minimum_detectable_drop;  ///< relative
  double tolerance = 0;                           ///< relative
  int rounds = 0;                                 ///< rounds that the verdict used
  bool advisory =
      false;  ///< said, never counted: minimum detectable drop above twice the tolerance, or provisional
  std::string reason;  ///< one sentence

  bool operator==(const Verdict&) const = default;
};

std::string_view to_string(VerdictKind kind);
std::string_view to_string(Judge judge);

}  // namespace gpugauge::judge
