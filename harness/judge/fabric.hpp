// Finds the slow node, or the slow path between nodes, from collectives over pairs or larger sets of nodes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/fabric_fit.hpp"
#include "result/vocabulary.hpp"

namespace gpugauge::judge {

/// What NCCL's log said in the ranks of a node. Each list is sorted, each word once; empty: nothing is known.
struct NodeWays {
  std::vector<std::string> transports;  ///< "ib", "socket", ...: notes nccl.transport
  std::vector<std::string> networks;    ///< "IB", "Socket", a plugin's name: notes nccl.network
  std::vector<std::string> paths;       ///< "NET/IB/GDRDMA", ...: notes nccl.paths, of the network only
  std::vector<std::string> warnings;    ///< notes nccl.warnings, line by line
  std::vector<std::string> reasons;     ///< notes nccl.reasons, line by line: why it goes that way

  bool operator==(const NodeWays&) const = default;  ///< Equal in every member.
};

/// One collective over a set of nodes.
struct SetMeasurement {
  std::vector<std::string> nodes;             ///< two or more, sorted, each once
  int ranks = 0;                              ///< number of processes; 0: not known
  std::optional<double> value;                ///< in the metric's unit, > 0; nullopt: the collective failed
  std::string reason;                         ///< one sentence if it failed
  std::map<std::string, NodeWays> ways = {};  ///< by node; those of which nothing is known are absent
};

/// One metric over comparable sets: the same benchmark, libraries and GPUs.
struct FabricInput {
  std::string metric;        ///< result::metric_key
  std::string metric_class;  ///< "coll_large"
  std::string unit;          ///< unit of the values
  /// Which way is better.
  result::Direction better = result::Direction::higher;
  std::string description;                   ///< what all sets share: GPU, NCCL; "" where it is not known
  std::optional<double> expected;            ///< value that every set should reach, in the unit
  std::optional<double> tolerance;           ///< relative; overrides FabricRules::tolerance
  std::vector<SetMeasurement> measurements;  ///< in any order
};

/// Possible faults between nodes, gravest first.
enum class FabricFault {
  everything,   ///< no set reaches what was expected
  failed_node,  ///< fails with every partner, while these are fast with others
  slow_node,    ///< slow with every partner, while these are fast with others
  slow_path,    ///< always slow between nodes that are fast with others
  undecided,    ///< the measurements do not decide it; never counted as found
};

/// A finding, or a question that the measurements leave open.
struct FabricFinding {
  FabricFault fault = FabricFault::undecided;  ///< kind of fault
  std::vector<std::string> nodes;              ///< the nodes concerned
  std::optional<double> change;  ///< relative, + is worse; nullopt where no measurement finished
  /// The observation. Of a single node its ways stand beside those of sets without it, where both are known.
  std::string sentence;
};

/// One of the measured nodes.
struct FabricNode {
  std::string name;      ///< name of the machine of its ranks
  std::size_t sets = 0;  ///< compared sets that it was part of
  /// its own contribution, relative, + is worse; nullopt where it cannot be separated
  std::optional<double> slowness;
  std::string state;   ///< "fine", "slow", "fails", "undecided", "not judged"
  NodeWays ways = {};  ///< of all its measurements
};

/// A set of nodes with all its measurements.
struct FabricSet {
  std::vector<std::string> nodes;  ///< sorted
  int ranks = 0;                   ///< 0: not known
  std::vector<double> values;      ///< every measured value, in the unit
  std::size_t failed = 0;          ///< measurements without a value
  std::optional<double> change;    ///< best value against the reference, relative, + is worse
  /// the part of `change` that its nodes do not explain, relative, + is worse
  std::optional<double> unexplained;
};

/// Sets with the same number of nodes and ranks; they are compared with each other.
struct FabricSize {
  std::size_t nodes = 0;            ///< nodes per set
  int ranks = 0;                    ///< ranks per set; 0: not known
  std::size_t sets = 0;             ///< number of sets
  std::optional<double> reference;  ///< in the unit; nullopt: not judged
};

/// The judgement on the sets of one metric.
struct FabricJudgement {
  std::string metric;        ///< copied from the input, like the next four members
  std::string metric_class;  ///< "coll_large"
  std::string unit;          ///< unit of values and references
  /// Which way is better.
  result::Direction better = result::Direction::higher;
  std::string description;                              ///< what all sets share
  double tolerance = 0;                                 ///< relative
  std::optional<double> expected;                       ///< in the unit
  bool judged = false;                                  ///< at least one size of sets could be compared
  std::vector<FabricSize> sizes;                        ///< by nodes, then ranks
  std::vector<FabricFinding> findings;                  ///< gravest first
  std::vector<FabricNode> nodes;                        ///< by name
  std::vector<FabricSet> sets;                          ///< by size, then nodes
  std::vector<std::vector<std::string>> measure_again;  ///< sets whose measurement would decide more
  std::vector<std::string> remarks;                     ///< sentences: what could not be compared or decided
};

/// Splits each set's excess into the parts of its nodes (fit_fabric) and names who is slow. A slow node needs
/// rules.partners sets whose other nodes are fast elsewhere and occur in only one of these sets. A slow path
/// needs a second measurement. Anything less is undecided, and measure_again lists what would decide it: a
/// further partner known to be fast, or the same set once more. Throws std::invalid_argument for a tolerance
/// outside 0 < tolerance < 1.
FabricJudgement judge_fabric(const FabricInput& input, const FabricRules& rules = {});

/// "slow node", "node that fails", "slow path", "everything is slow", "undecided".
std::string_view to_string(FabricFault fault);

/// "node3", "node1 and node2", for use in a sentence.
std::string joined(const std::vector<std::string>& nodes);

}  // namespace gpugauge::judge
