// Applies the policy to a plan: every driver branch that is planned or recommended comes with its support
// period.
#pragma once

#include <optional>
#include <vector>

#include "stack/plan/plan.hpp"

namespace gpugauge::stack {

/// The known subjects of a plan.
struct Planned {
  std::optional<Version> driver;      ///< from the plan, or the machine's; absent: neither
  std::optional<Version> cuda;        ///< CUDA version that a recommended branch must support
  std::vector<Version> capabilities;  ///< of the GPUs
};

/// Findings about the driver's branch and about unpinned versions. Also adds the branch to take to the remedy
/// of each pair that needs a newer driver.
std::vector<Finding> judge_branches(const PlanRequest& request, const Planned& planned, const Tables& tables,
                                    const PlanTerms& terms, std::vector<PairFit>& pairs);

}  // namespace gpugauge::stack
