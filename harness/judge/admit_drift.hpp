// Finds the facts in which a newcomer differs from a fleet.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "judge/admit.hpp"
#include "judge/peer_kinds.hpp"

namespace gpugauge::judge {

/// Returns the fields that must match and differ from the kind's, each counted over its devices. All devices
/// of a kind agree in these fields.
std::vector<Drift> incomparable(const result::Fingerprint& here, const PeerKind& kind, const Policy& policy);

/// Whether a treatment declares every difference.
bool comparable(const std::vector<Drift>& drift);

/// Adds the settings and topology that differ from the usual value among the devices of a kind
/// (PeerRound::kind). Runs of the newcomer itself (`own`) are not counted.
void add_noted(const result::Fingerprint& here, const std::string& kind, const UsualFacts& usual,
               const std::set<std::string>& own, std::vector<Drift>& out);

/// Words for the undeclared differences: "stack.driver.version is 570 here and 580 there", then how many
/// more.
std::string some_drift(const std::vector<Drift>& drift);

}  // namespace gpugauge::judge
