// A plan by its policy: no driver branch is asked for or recommended without a word of how long it is kept.
#pragma once

#include <optional>
#include <vector>

#include "stack/plan/plan.hpp"

namespace gpugauge::stack {

/// What is to be said of the driver's branch and of versions that pin nothing. To the remedy of each pair
/// that wants a newer driver it adds the branch to take.
std::vector<Finding> judge_branches(const PlanRequest& request, const std::optional<Version>& driver,
                                    const std::vector<Version>& capabilities, const Tables& tables,
                                    const PlanTerms& terms, std::vector<PairFit>& pairs);

}  // namespace gpugauge::stack
