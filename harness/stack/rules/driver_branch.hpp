// Judges a driver's branch by date and policy: whether it still gets fixes, whether it suits production, and
// which branch to take instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/rules/rules.hpp"

namespace gpugauge::stack {

/// True if NVIDIA declares it ended, or its end of life is before that day ("2026-11-21"; "" is no day).
bool has_ended(const DriverBranch& branch, const std::string& today);

/// "long-term support, end of life 2028-06"
std::string branch_text(const DriverBranch& branch);

/// "Take branch 580 (long-term support, end of life 2028-06); its newest release known to the tables is
/// 580.178.04." For nullptr: that the tables know no branch for all of these compute capabilities.
std::string branch_advice(const DriverBranch* branch, const std::vector<Version>& capabilities,
                          Policy policy);

/// driver_branch_ended (a warning), or in its last 90 days driver_branch_ends_soon (a note); else nothing.
std::optional<Finding> branch_end_finding(const DriverBranch& branch, const std::string& today);

/// driver_not_long_term, only for the policy `production`.
std::optional<Finding> branch_kind_finding(const DriverBranch& branch, Policy policy);

/// True if it supports every GPU of these compute capabilities and the policy allows its kind. Production
/// needs a long-term or production branch. What the tables do not tell excludes nothing.
bool suits(const Tables& tables, const DriverBranch& branch, const std::vector<Version>& capabilities,
           Policy policy);

/// The lowest branch that has not ended, is not below `needed`, and supports all of these compute
/// capabilities. For production a long-term branch, else a production branch, never a new-feature branch.
/// nullptr if the tables have none.
const DriverBranch* advised_branch(const Tables& tables, const Version& needed,
                                   const std::vector<Version>& capabilities, Policy policy,
                                   const std::string& today);

}  // namespace gpugauge::stack
