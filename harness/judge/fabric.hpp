// Nodes that were measured together, in pairs or larger sets: which node, or which path between nodes, is
// slow?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/fabric_fit.hpp"
#include "result/vocabulary.hpp"

namespace gpugauge::judge {

/// One collective over a set of nodes.
struct SetMeasurement {
  std::vector<std::string> nodes;  ///< sorted, each once, two or more
  int ranks = 0;                   ///< processes that took part; 0: not known
  std::optional<double> value;     ///< in the metric's unit, > 0; nullopt: it failed
  std::string reason;              ///< one sentence where it failed
};

/// One metric of sets that may be compared: the same benchmark, libraries and GPUs.
struct FabricInput {
  std::string metric;        ///< result::metric_key
  std::string metric_class;  ///< "coll_large"
  std::string unit;          ///< of the values
  /// Which way is better.
  result::Direction better = result::Direction::higher;
  std::string description;          ///< what was the same everywhere: GPU, NCCL; "" where it is not known
  std::optional<double> expected;   ///< what every set should reach, in the unit
  std::optional<double> tolerance;  ///< relative, instead of FabricRules'
  std::vector<SetMeasurement> measurements;  ///< in any order
};

/// What may be wrong between nodes, the gravest first.
enum class FabricFault {
  everything,   ///< no set reaches what was expected
  failed_node,  ///< fails with every partner, and they are fast with others
  slow_node,    ///< slow with every partner, and they are fast with others
  slow_path,    ///< slow each time between nodes that are fast with others
  undecided,    ///< what was measured does not tell: never counted as found
};

/// Something that was found, or could not be told.
struct FabricFinding {
  FabricFault fault = FabricFault::undecided;  ///< which of them
  std::vector<std::string> nodes;              ///< who
  std::optional<double> change;                ///< relative, + is worse; absent where nothing came to an end
  std::string sentence;                        ///< what was seen
};

/// A node among those that were measured together.
struct FabricNode {
  std::string name;                ///< as the machine of its ranks is called
  std::size_t sets = 0;            ///< compared ones that it was part of
  std::optional<double> slowness;  ///< its own part, relative, + is worse; absent where it cannot be told
  std::string state;               ///< "fine", "slow", "fails", "undecided", "not judged"
};

/// A set of nodes with all its measurements.
struct FabricSet {
  std::vector<std::string> nodes;     ///< sorted
  int ranks = 0;                      ///< 0: not known
  std::vector<double> values;         ///< of all its measurements, in the unit
  std::size_t failed = 0;             ///< measurements without a value
  std::optional<double> change;       ///< best value against the reference, relative, + is worse
  std::optional<double> unexplained;  ///< what its nodes do not explain of it, relative, + is worse
};

/// Sets of as many nodes and ranks, which are compared with each other.
struct FabricSize {
  std::size_t nodes = 0;            ///< in each set
  int ranks = 0;                    ///< of each set; 0: not known
  std::size_t sets = 0;             ///< how many
  std::optional<double> reference;  ///< in the unit; absent: not judged
};

/// What the sets of one metric tell.
struct FabricJudgement {
  std::string metric;        ///< as in the input, and so are the next four
  std::string metric_class;  ///< "coll_large"
  std::string unit;          ///< of values and references
  /// Which way is better.
  result::Direction better = result::Direction::higher;
  std::string description;                              ///< what was the same everywhere
  double tolerance = 0;                                 ///< relative
  std::optional<double> expected;                       ///< in the unit
  bool judged = false;                                  ///< some size of sets could be compared
  std::vector<FabricSize> sizes;                        ///< by nodes, then ranks
  std::vector<FabricFinding> findings;                  ///< gravest first
  std::vector<FabricNode> nodes;                        ///< by name
  std::vector<FabricSet> sets;                          ///< by size, then nodes
  std::vector<std::vector<std::string>> measure_again;  ///< sets that would tell more
  std::vector<std::string> remarks;                     ///< sentences: what could not be compared or told
};

/// Takes the sets apart (fit_fabric) and names who is slow. A slow node needs rules.partners sets whose other
/// nodes are fast elsewhere, none of them in two of the sets; a slow path a second measurement; everything
/// short of that is undecided, and measure_again lists what would tell: a further partner that is known to be
/// fast, or the same set once more. Throws std::invalid_argument for a tolerance that is not above 0 and
/// below 1.
FabricJudgement judge_fabric(const FabricInput& input, const FabricRules& rules = {});

/// "slow node", "node that fails", "slow path", "everything is slow", "undecided".
std::string_view to_string(FabricFault fault);

/// "node3", "node1 and node2": for sentences.
std::string joined(const std::vector<std::string>& nodes);

}  // namespace gpugauge::judge
