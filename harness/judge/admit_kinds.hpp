// Chooses the nodes that a newcomer is compared with, where a fleet holds several kinds.
#pragma once

#include <string>
#include <vector>

#include "judge/admit.hpp"
#include "judge/peer_kinds.hpp"

namespace gpugauge::judge {

/// The kind that a newcomer is compared with.
struct NearestKind {
  const PeerKind* kind = nullptr;  ///< nullptr: the fleet has no kind of its model
  std::vector<Drift> drift;        ///< fields that must match and differ, declared or not
  std::string reason;              ///< one sentence: why no kind is comparable
};

/// Returns the best comparable kind of the newcomer's model. Kinds with PeerRules::minimum_nodes come first,
/// then the one that differs least, then the largest; so its own kind comes before one that only a treatment
/// makes comparable. Where none is comparable, returns the one that differs least. `first` is a run of the
/// newcomer, and `here` its facts.
NearestKind nearest_kind(const std::vector<PeerKind>& kinds, const PeerRound& first,
                         const result::Fingerprint& here, const Policy& policy, const PeerRules& rules);

/// Returns the largest kind whose checksums must equal the newcomer's: all fields that must match agree, and
/// so do the sources of the family integrity if the newcomer measured it. nullptr if there is none.
const PeerKind* kind_of_checksums(const std::vector<PeerKind>& kinds, const PeerRounds& newcomer);

}  // namespace gpugauge::judge
