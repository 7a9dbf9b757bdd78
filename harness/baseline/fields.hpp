// The role of each fact of the fingerprint in a comparison.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// How a difference in a fact affects a comparison.
enum class Role {
  must,            ///< a difference, or a fact on one side only, makes two runs incomparable
  must_in_common,  ///< the same, but only if both sides have the fact
  identity,        ///< distinguishes cards of one model
  host_identity,   ///< distinguishes hosts, if both sides have the fact; older runs lack it
  noted,           ///< recorded and reported, never a reason to refuse
};

/// The fact with role host_identity in the section device.
inline constexpr std::string_view host_identity_fact = "host.identity";

/// A section of the fingerprint.
struct Section {
  std::string_view name;                        ///< as in a run file: "device"
  result::Facts result::Fingerprint::*facts{};  ///< what it holds
};
/// All of them, by name.
inline constexpr std::array sections{
    Section{"device", &result::Fingerprint::device}, Section{"settings", &result::Fingerprint::settings},
    Section{"stack", &result::Fingerprint::stack}, Section{"suite", &result::Fingerprint::suite},
    Section{"topology", &result::Fingerprint::topology}};

/// A fact's name over all sections: "host.cpu_model" in device becomes "device.host.cpu_model". One that
/// begins with its section's name keeps it: "suite.profile".
std::string field_name(std::string_view section, std::string_view fact);

/// Returns the role of a fact in a section of the fingerprint, by their names.
Role role_of(std::string_view section, std::string_view fact);

/// Returns the facts with the given roles that differ, sorted by section and name.
std::vector<Mismatch> differences(const result::Fingerprint& now, const result::Fingerprint& then,
                                  const std::vector<Role>& roles);

}  // namespace gpugauge::baseline
