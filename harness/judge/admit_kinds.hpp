// Which nodes of a fleet a newcomer is compared with, where they are of several kinds.
#pragma once

#include <string>
#include <vector>

#include "judge/admit.hpp"
#include "judge/peer_kinds.hpp"

namespace gpugauge::judge {

/// The kind that a newcomer is compared with.
struct NearestKind {
  const PeerKind* kind = nullptr;  ///< nullptr: there is none of its model
  std::vector<Drift> drift;        ///< what must match and does not, declared or not
  std::string reason;              ///< one sentence: why there is none
};

/// Of its model a kind that is comparable: first those of PeerRules::minimum_nodes, of these the one that
/// differs least, so that its own comes before what only a treatment makes comparable, of these the largest.
/// Where none is comparable, the one that differs least. `first`: a run of the newcomer, with the facts
/// `here`.
NearestKind nearest_kind(const std::vector<PeerKind>& kinds, const PeerRound& first,
                         const result::Fingerprint& here, const Policy& policy, const PeerRules& rules);

/// The largest kind whose checksums must be the newcomer's: nothing that must match differs, and the sources
/// of the family integrity are its own, or it did not measure that. nullptr for none.
const PeerKind* kind_of_checksums(const std::vector<PeerKind>& kinds, const PeerRounds& newcomer);

}  // namespace gpugauge::judge
