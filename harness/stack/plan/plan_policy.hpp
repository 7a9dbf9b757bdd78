// A plan by its policy: no driver branch is asked for or recommended without a word of how long it is kept.
#pragma once

#include <optional>
#include <vector>

#include "stack/plan/plan.hpp"

namespace gpugauge::stack {

/// What a plan is about, as far as it is known.
struct Planned {
  std::optional<Version> driver;      ///< named by the plan, or the machine's; absent: neither
  std::optional<Version> cuda;        ///< what a branch that is advised must reach
  std::vector<Version> capabilities;  ///< of the GPUs
};

/// What is to be said of the driver's branch and of versions that pin nothing. To the remedy of each pair
/// that wants a newer driver it adds the branch to take.
std::vector<Finding> judge_branches(const PlanRequest& request, const Planned& planned, const Tables& tables,
                                    const PlanTerms& terms, std::vector<PairFit>& pairs);

}  // namespace gpugauge::stack
