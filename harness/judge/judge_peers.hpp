// The third judge: compares nodes that were measured now with each other.
#pragma once

#include <string>
#include <vector>

#include "judge/fabric.hpp"
#include "judge/fleet_drift.hpp"
#include "judge/judge.hpp"
#include "judge/peer_round.hpp"
#include "judge/peers.hpp"

namespace gpugauge::judge {

/// A refused file. Its node cannot be judged, and the report says so.
struct UnreadFile {
  std::string file;    ///< path, as given or found
  std::string label;   ///< for readers, as PeerRound::label
  std::string reason;  ///< one sentence
  std::string host{};  ///< as PeerRound::host
};

/// The runs of a fleet, reduced.
struct PeersInput {
  /// In any order. Each run is compared; after a run that stands out, the node's later runs confirm or acquit
  /// it.
  std::vector<PeerRound> rounds;
  std::vector<PeerForm> metrics;     ///< the metrics that PeerRound::values refer to
  std::vector<UnreadFile> unread;    ///< files that could not be read as a run
  std::vector<FabricInput> fabrics;  ///< nodes that were measured together (fabric_input.hpp)
  /// One run of each device that belongs to the fleet and was not measured with it. Only its names are read.
  std::vector<PeerRound> not_measured{};
};

/// The state of a node, in the order of the listing.
enum class NodeState {
  found,       ///< a confirmed drop, a missing metric, a failure
  unread,      ///< its file was refused
  not_judged,  ///< too few peers of its kind, no metric in common with them, or not measured with them
  suspect,     ///< to be measured again
  healthy,     ///< nothing stands out
};

/// The judgement on one node.
struct NodeJudgement {
  std::string node;                ///< PeerRound::node; for a file that was not read, its label
  std::string label;               ///< PeerRound::label
  std::string device;              ///< PeerRound::device; "" for a file that was not read
  std::string host;                ///< machine name, as PeerRound::host; "" if not given
  std::vector<std::string> files;  ///< run files, oldest first, each run once
  int rounds = 0;                  ///< runs of the node, each counted once; 0 if none could be read
  /// The gravest state over the judged kinds of its runs. If no kind was judged, only a failure makes it
  /// `found`.
  NodeState state = NodeState::healthy;
  bool measure_again = false;     ///< a further run of this node would decide something
  std::vector<Verdict> verdicts;  ///< notable verdicts, gravest first, advisory ones last; none that are ok
  std::string reason;             ///< one sentence: why the node, or some of its runs, was not read or judged
  int runs_not_judged = 0;        ///< runs of kinds that were not judged, if other runs were
  /// Index into PeersJudgement::groups: the judged kind of its runs with most nodes, else the kind with most
  /// nodes. Meaningless if `rounds` is 0.
  std::size_t group = 0;
  std::vector<std::string> group_runs;  ///< PeerRound::id of its runs of that kind, oldest first
};

/// Nodes of one kind: all fields that must match agree.
struct PeerGroup {
  std::string description;  ///< device and driver, and the differences from the largest group
  std::size_t nodes = 0;    ///< nodes of this kind: devices, that is GPUs or whole nodes
  std::size_t hosts = 0;    ///< machines that hold them; 0 if not known for every device
  std::string counted;      ///< "12 nodes", "12 GPUs on 3 nodes"
  std::size_t metrics = 0;  ///< judged
  bool judged = false;      ///< nodes >= PeerRules::minimum_nodes, and some metric was compared
};

/// One machine, with the gravest state of its devices.
struct HostJudgement {
  std::string name;                      ///< PeerRound::host; "" if not given
  NodeState state = NodeState::healthy;  ///< the first in NodeState's order among its devices
  bool measure_again = false;            ///< at least one device is to be measured again
  /// its devices: indices into PeersJudgement::nodes, ascending, one or more
  std::vector<std::size_t> nodes;
};

/// All nodes of a fleet, and the command's outcome.
struct PeersJudgement {
  std::vector<NodeJudgement> nodes;  ///< devices: those with a finding first, then by label
  /// Machines, in the order of their gravest devices. Empty unless the machine of every device that was read
  /// is known.
  std::vector<HostJudgement> hosts;
  std::vector<PeerGroup> groups;  ///< largest first
  /// "KEY: 3 of 40 nodes measure it": metrics that too few nodes of a group have for a comparison.
  std::vector<std::string> metrics_not_judged;
  /// of these, the ones that half of their group or more have; any of them prevents a pass
  std::size_t metrics_open = 0;
  std::vector<FabricJudgement> fabrics;  ///< in the order of the input
  std::vector<DriftedFact> drift;        ///< filled by the reader of the runs (FleetDrift); decides nothing
  /// Sentences on runs given twice, families that no node could measure, and checksums.
  std::vector<std::string> remarks;
  Outcome outcome;  ///< judge_peers documents its code
};

/// Compares the nodes of each kind that has 8 or more. Nodes are devices, so the GPUs of one machine are
/// peers too. Where one machine holds half of a kind or more, a remark says what that hides. A node is in
/// each kind of which it has a run (peer_kinds.hpp). Every run is screened; the runs after one that stands
/// out confirm or acquit the node (peer_group.hpp). What a device's runs show of its health counts with any
/// number of peers (health_of). A metric that most nodes measure is missing on a node
/// without it. Checksums are compared within each kind of any size (checksums.hpp), and so are nodes measured
/// together (fabric.hpp). Exit code: 1 for any finding. Else 3 if a node, run or fabric was not read or
/// judged, if a metric of half of a kind or more was not, or if there is nothing to judge. Else 4 for open
/// doubts with `strict`; else 0. Of the policy, tolerances and advisory metrics count (require_of_fleet): an advisory
/// verdict is reported, decides nothing, and a remark counts it.
PeersJudgement judge_peers(const PeersInput& input, const Policy& policy = {}, bool strict = false,
                           const PeerRules& rules = {});

/// Relative tolerance between devices of one model. Healthy ones differ, most where the power limit decides.
double peer_tolerance(const Policy& policy, const std::string& metric_class);
/// The same for a metric. A policy rule by name takes precedence over the class, and operations per clock do
/// not vary with the power limit.
double peer_tolerance(const Policy& policy, const std::string& metric_class, const std::string& key);

/// Relative standard deviation of a metric between healthy nodes of one model (docs/verdicts.md has the
/// sources). The power limit affects rates, but not operations per clock.
double between_nodes(const std::string& metric_class, std::string_view key = {});

/// True if some machine holds several devices that were read, so that machines are counted separately.
bool several_a_host(const PeersJudgement& judgement);

std::string_view to_string(NodeState state);  ///< The state as one or two words: "found", "not judged".

}  // namespace gpugauge::judge
