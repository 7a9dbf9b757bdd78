// What part a fact of the fingerprint plays in a comparison.
#pragma once

#include <string_view>
#include <vector>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// What a fact is to a comparison.
enum class Role {
  must,            ///< a difference, also a missing side, makes two runs incomparable
  must_in_common,  ///< the same, but only where both sides have the fact
  identity,        ///< tells one card from another of its model
  noted,           ///< recorded and reported, never refused
};

/// The role of a fact in a section of the fingerprint ("device", "stack", "settings", "topology", "suite").
Role role_of(std::string_view section, std::string_view fact);

/// Facts of the given roles that differ, sorted by section and name.
std::vector<Mismatch> differences(const result::Fingerprint& now, const result::Fingerprint& then,
                                  const std::vector<Role>& roles);

/// Families whose sources differ between a run of one side and a run of the other, one mismatch a family:
/// runs need not hold the same families, so that no run stands for its side. A side with itself: whether it
/// is of one kind.
std::vector<Mismatch> source_differences(const std::vector<result::Run>& now,
                                         const std::vector<result::Run>& then);

}  // namespace gpugauge::baseline
