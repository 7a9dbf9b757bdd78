// Which runs are of one node, and which nodes are of one kind.
#pragma once

#include <string>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// Runs that did the same work, by node: every fact that must match does, and so do the sources of each
/// family.
using PeerKind = std::vector<PeerRounds>;

/// The runs of each node, oldest first; a run that was given twice counts once, and is remarked on.
std::vector<PeerRounds> nodes_of(const std::vector<PeerRound>& rounds, std::vector<std::string>& remarks);

/// Runs by kind, the one of most nodes first: a node is in each kind of which it has a run. Within what must
/// match, runs whose sources differ from what most nodes have stand apart.
std::vector<PeerKind> kinds_of(const std::vector<PeerRounds>& nodes);

/// compare_checksums() over the runs of one kind: from another stack or other sources the same work may come
/// out otherwise.
ChecksumComparison compare_node_checksums(const PeerKind& nodes);

/// What must match, of all of its runs: PeerRound::fingerprint is shared by runs whose sources differ.
result::Fingerprint fingerprint_of(const PeerKind& kind);

/// "NVIDIA H200, driver 580.65.06"; or a host's processor.
std::string describe(const PeerRound& round);
/// The same, and how a kind differs from the largest.
std::string describe(const PeerKind& kind, const PeerKind& largest);

}  // namespace gpugauge::judge
