// Groups runs by node, and nodes by kind.
#pragma once

#include <string>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// Comparable runs by node: all fields that must match agree, and so do the sources of each family.
using PeerKind = std::vector<PeerRounds>;

/// Returns the runs of each node, oldest first. A run given twice counts once and adds a remark.
std::vector<PeerRounds> nodes_of(const std::vector<PeerRound>& rounds, std::vector<std::string>& remarks);

/// Returns the runs by kind, the kind with most nodes first. A node is in each kind of which it has a run.
/// Runs with other family sources than most nodes form a kind of their own.
std::vector<PeerKind> kinds_of(const std::vector<PeerRounds>& nodes);

/// Returns compare_checksums() over the runs of one kind. Another stack or other sources may legitimately
/// give other checksums.
ChecksumComparison compare_node_checksums(const PeerKind& nodes);

/// The facts of a kind that must match. PeerRound::fingerprint alone is shared by runs with different
/// sources.
result::Fingerprint fingerprint_of(const PeerKind& kind);

/// "NVIDIA H200, driver 580.65.06", or a host's processor.
std::string describe(const PeerRound& round);
/// The same, with the differences from the largest kind.
std::string describe(const PeerKind& kind, const PeerKind& largest);

}  // namespace gpugauge::judge
