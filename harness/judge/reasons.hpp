// Blank verdicts of the baseline judge, and the sentences for their reasons.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/gate.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// A baseline verdict on a metric before the decision, with unit, class and direction.
Verdict blank_verdict(const std::string& key, const result::Metric& form);

/// .034 -> "3.4%"; 1e60 -> "1.0e+62%"; a value that is not finite -> "an unknown share".
std::string percent(double share);
/// The smallest detectable drop, given as a share. Like percent(), but ">1000%" from a factor of ten, which
/// is no useful figure.
std::string detectable(double share);
/// Whether a drop of this size is possible: no metric can lose more than all of its value.
bool can_drop_by(double share);
/// percent() without decimals: .034 -> "3%".
std::string whole_percent(double share);

/// "at most 1.2% worse with 95% confidence". `upper` is the upper end of the interval for `confidence`, a
/// step on the gate's scale. Relative changes have no symmetric interval.
std::string at_most_worse(const Verdict& verdict, double upper, double confidence);

/// Ends a sentence on two nodes or cards: "how healthy nodes of one model differ is allowed for (...), so
/// only larger drops can be shown."
std::string nodes_may_differ();

/// "a, b, c and 2 more".
std::string some_of(const std::vector<std::string>& names);

/// Explains the gate's decision `result`. `now` are the process values of the measured rounds, on the gate's
/// scale; two modes in them are named in the metric's unit.
std::string explain(const Verdict& verdict, const Scale& scale, const GateResult& result,
                    std::span<const RoundValues> now);

/// How the members of a class mean moved: how many, and whether together or only one.
struct ClassChange {
  std::size_t members = 0;  ///< metrics in the mean
  std::size_t moved = 0;    ///< members that changed by more than half of the mean's change, in its direction
  std::string most_key;     ///< the member with the largest change in that direction
  double most_change = 0;   ///< relative, + is worse
  bool together = false;    ///< the median member changed by half of the mean or more, in its direction
  std::optional<result::Direction> shared = {};  ///< the members' direction; nullopt where they differ
};
/// A step of the scale in words: of rates "30.0% less", of times "42.8% longer"; of both, which move by the same step,
/// "42.8% longer or 30.0% less".
std::string amount_of_step(double step, const std::optional<result::Direction>& shared);

/// As explain(), for a class mean: states how many metrics moved, or which one dominates.
std::string explain_class(const Verdict& verdict, const Scale& scale, const GateResult& result,
                          const ClassChange& change);

}  // namespace gpugauge::judge
