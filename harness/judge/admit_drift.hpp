// In which facts a newcomer differs from a fleet.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "judge/admit.hpp"
#include "judge/peer_kinds.hpp"

namespace gpugauge::judge {

/// What must match and does not, each with its count: kinds differ in nothing else within themselves.
std::vector<Drift> incomparable(const result::Fingerprint& here, const PeerKind& kind, const Policy& policy);

/// Whether all of it is declared.
bool comparable(const std::vector<Drift>& drift);

/// Adds settings and topology that are not as usual among the devices of a kind (PeerRound::kind), runs of
/// the newcomer itself (`own`) aside.
void add_noted(const result::Fingerprint& here, const std::string& kind, const UsualFacts& usual,
               const std::set<std::string>& own, std::vector<Drift>& out);

/// What is not declared: "stack.driver.version is 570 here and 580 there", and some more.
std::string some_drift(const std::vector<Drift>& drift);

}  // namespace gpugauge::judge
