// Which runs are of one node, and which nodes are of one kind.
#pragma once

#include <string>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// The nodes of one kind: every fact that must match does.
using PeerKind = std::vector<PeerRounds>;

/// The runs of each node, oldest first; a run that was given twice counts once, and is remarked on.
std::vector<PeerRounds> nodes_of(const std::vector<PeerRound>& rounds, std::vector<std::string>& remarks);

/// Nodes by kind, the largest first; within a kind, those whose sources differ from what most have stand
/// apart.
std::vector<PeerKind> kinds_of(const std::vector<PeerRounds>& nodes);

/// compare_checksums() over the runs of these nodes that are of the first one's kind and were made from the
/// sources of family integrity that most of them have: from others the same work may come out otherwise. What
/// stands apart is counted (ChecksumComparison::apart), and held against nothing but its own processes.
ChecksumComparison compare_node_checksums(const PeerKind& nodes);

/// "NVIDIA H200, driver 580.65.06"; or a host's processor.
std::string describe(const PeerRound& round);
/// The same, and how a kind differs from the largest.
std::string describe(const PeerKind& kind, const PeerKind& largest);

}  // namespace gpugauge::judge
