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
  host_identity,   ///< tells one host from another, where both sides have the fact: older runs lack it
  noted,           ///< recorded and reported, never refused
};

/// The fact of role host_identity in the section device.
inline constexpr std::string_view host_identity_fact = "host.identity";

/// The role of a fact in a section of the fingerprint ("device", "stack", "settings", "topology", "suite").
Role role_of(std::string_view section, std::string_view fact);

/// Facts of the given roles that differ, sorted by section and name.
std::vector<Mismatch> differences(const result::Fingerprint& now, const result::Fingerprint& then,
                                  const std::vector<Role>& roles);

}  // namespace gpugauge::baseline
