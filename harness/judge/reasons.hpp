// What a verdict of the baseline judge begins with, and the sentence beside it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "judge/gate.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// A verdict of the baseline judge on a metric, before anything was decided: what it is, in which unit.
Verdict blank_verdict(const std::string& key, const result::Metric& form);

/// ".034" -> "3.4%"; 1e60 -> "1.0e+62%"; what is not finite is "an unknown share".
std::string percent(double share);
/// The smallest drop that can be shown, as a share: like percent(), ">1000%" from ten times on, where nobody
/// can tell it from none.
std::string detectable(double share);
/// Whether a drop that large can be: nothing loses more than all of it.
bool can_drop_by(double share);
/// percent() without a fraction: ".034" -> "3%".
std::string whole_percent(double share);

/// "at most 1.2% worse with 95% confidence". `upper`: the upper end of the interval that `confidence` belongs
/// to, a step on the gate's scale; relative changes have no symmetric one.
std::string at_most_worse(const Verdict& verdict, double upper, double confidence);

/// "how healthy nodes of one model differ is allowed for (...), so only larger drops can be shown.": ends a
/// sentence on two nodes or cards.
std::string nodes_may_differ();

/// "a, b, c and 2 more".
std::string some_of(const std::vector<std::string>& names);

/// Why the gate decided as it did, which is `result`. `now` are the process values of the rounds measured, on
/// the gate's scale: two modes in them are named, in the metric's unit.
std::string explain(const Verdict& verdict, const Scale& scale, const GateResult& result,
                    std::span<const RoundValues> now);

/// Which metrics make a class mean: how many of them, and whether they moved together or one moved them all.
struct ClassChange {
  std::size_t members = 0;  ///< metrics that take part in the mean
  std::size_t moved = 0;    ///< members whose own change is beyond half of the mean's, on its side
  std::string most_key;     ///< the member that changed most to that side
  double most_change = 0;   ///< relative, + is worse
  bool together = false;    ///< the median member changed by half of the mean or more
};
/// As explain(), for a class mean: how many metrics moved, or which one carries it.
std::string explain_class(const Verdict& verdict, const Scale& scale, const GateResult& result,
                          const ClassChange& change);

}  // namespace gpugauge::judge
