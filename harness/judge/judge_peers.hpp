// The third judge: nodes that were measured now, against each other.
#pragma once

#include <string>
#include <vector>

#include "judge/fabric.hpp"
#include "judge/fleet_drift.hpp"
#include "judge/judge.hpp"
#include "judge/peer_round.hpp"
#include "judge/peers.hpp"

namespace gpugauge::judge {

/// A file that was refused: its node cannot be judged, and that is said.
struct UnreadFile {
  std::string file;    ///< path, as given or found
  std::string label;   ///< for people, as PeerRound::label
  std::string reason;  ///< one sentence
  std::string host{};  ///< as PeerRound::host
};

/// The runs of a fleet, reduced.
struct PeersInput {
  /// In any order. Each is compared; of one that stands out those after it confirm or acquit the node.
  std::vector<PeerRound> rounds;
  std::vector<PeerForm> metrics;     ///< what PeerRound::values refer to
  std::vector<UnreadFile> unread;    ///< files that could not be read as a run
  std::vector<FabricInput> fabrics;  ///< nodes that were measured together (fabric_input.hpp)
  /// A run of each device that belongs to these and was not measured with them: only its names are read.
  std::vector<PeerRound> not_measured{};
};

/// What is known of a node, in the order in which they are listed.
enum class NodeState {
  found,       ///< a confirmed drop, a missing metric, a failure
  unread,      ///< its file was refused
  not_judged,  ///< too few others of its kind, nothing that they measured as well, or not measured with them
  suspect,     ///< to be measured again
  healthy,     ///< nothing stands out
};

/// What is said of one node.
struct NodeJudgement {
  std::string node;                ///< PeerRound::node; of a file that was not read, its label
  std::string label;               ///< PeerRound::label
  std::string device;              ///< PeerRound::device; "" of a file that was not read
  std::string host;                ///< its machine's name: PeerRound::host; "" where nobody gave one
  std::vector<std::string> files;  ///< run files, oldest first, each run once
  int rounds = 0;                  ///< runs of the node, each counted once; 0 where none of them was read
  /// The gravest of the kinds of its runs that were judged; where none was, only a failure makes it found.
  NodeState state = NodeState::healthy;
  bool measure_again = false;     ///< a further run of this node would decide something
  std::vector<Verdict> verdicts;  ///< what stands out, gravest first; nothing of what is ok
  std::string reason;             ///< one sentence: why it, or some of its runs, was not read or judged
  int runs_not_judged = 0;        ///< runs of a kind that was not judged, where others of it were
  /// Of the kinds of its runs the one of most nodes that was judged, else of most nodes: its place in
  /// PeersJudgement::groups; meaningless without `rounds`.
  std::size_t group = 0;
  std::vector<std::string> group_runs;  ///< PeerRound::id of its runs of that kind, oldest first
};

/// Nodes of one kind: every fact that must match does.
struct PeerGroup {
  std::string description;  ///< device and driver, and what differs from the largest group
  std::size_t nodes = 0;    ///< of this kind: devices, that is GPUs, or whole nodes
  std::size_t hosts = 0;    ///< machines that hold them; 0 where it is not known of each
  std::string counted;      ///< "12 nodes", "12 GPUs on 3 nodes"
  std::size_t metrics = 0;  ///< judged
  bool judged = false;      ///< nodes >= PeerRules::minimum_nodes, and some metric was compared
};

/// One machine, and what becomes of it: the gravest that is said of what it holds.
struct HostJudgement {
  std::string name;                      ///< PeerRound::host; "" where nobody gave one
  NodeState state = NodeState::healthy;  ///< the first of NodeState's order among its devices
  bool measure_again = false;            ///< of one of them at least
  std::vector<std::size_t> nodes;  ///< its devices: places in PeersJudgement::nodes, ascending, one or more
};

/// Every node of a fleet, and the answer for the command.
struct PeersJudgement {
  std::vector<NodeJudgement> nodes;  ///< devices: those with a finding first, then by label
  /// Machines, in the order of the gravest device of each. Empty where it is not known of each device that
  /// was read which machine holds it.
  std::vector<HostJudgement> hosts;
  std::vector<PeerGroup> groups;  ///< largest first
  /// "KEY: 3 of 40 nodes measure it": metrics that some nodes of a group have, and too few to compare them.
  std::vector<std::string> metrics_not_judged;
  std::size_t metrics_open = 0;  ///< of these: half of their group or more have them, which is no pass
  std::vector<FabricJudgement> fabrics;  ///< in the order of the input
  std::vector<DriftedFact> drift;        ///< filled by whoever read the runs (FleetDrift); decides nothing
  /// Sentences: a run that was given twice, families that no node could measure, checksums.
  std::vector<std::string> remarks;
  Outcome outcome;  ///< its code is as judge_peers says
};

/// Compares the nodes of each kind, where there are 8 or more: devices, so that the GPUs of one machine are
/// peers of each other, too; where half of a kind or more share a machine, a remark says what that hides. A
/// node is in each kind of which it has a run (peer_kinds.hpp). Every run is screened; the runs after one
/// that stands out confirm or acquit the node (peer_group.hpp). A metric that most nodes measure and one does
/// not is missing there. Checksums are compared within each kind, however few its nodes (checksums.hpp), and
/// so are the nodes that were measured together (fabric.hpp). Exit code: 1 for anything found; else 3 for a
/// node, a run, a fabric, or a metric of half of a kind or more that was not read or not judged, or nothing;
/// else 4 for what is left in doubt, with `strict`; else 0.
PeersJudgement judge_peers(const PeersInput& input, const Policy& policy = {}, bool strict = false,
                           const PeerRules& rules = {});

/// Tolerance between devices of one model, relative: healthy ones differ, most where the power limit decides.
double peer_tolerance(const Policy& policy, const std::string& metric_class);
/// The same for a metric: what the policy says of it by name comes before its class, and operations per clock
/// do not differ with the power limit.
double peer_tolerance(const Policy& policy, const std::string& metric_class, const std::string& key);

/// Standard deviation of a metric of a class between healthy nodes of one model, as a share (docs/verdicts.md
/// lists them): the power limit decides over rates and not over operations per clock.
double between_nodes(const std::string& metric_class, std::string_view key = {});

/// True where some machine holds several devices that were read, so that machines are counted apart from
/// them.
bool several_a_host(const PeersJudgement& judgement);

std::string_view to_string(NodeState state);  ///< The state as one or two words: "found", "not judged".

}  // namespace gpugauge::judge
