// Builds sets of nodes from files: the sample files that the ranks of a collective write (one per process),
// or a list of measurements from a search through a fabric.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "judge/fabric.hpp"
#include "judge/judge_peers.hpp"
#include "result/samples.hpp"

namespace gpugauge::judge {

/// The "schema" of a list of measurements.
inline constexpr std::string_view fabric_schema = "gpugauge.fabric/1";

/// Reads a list of measurements, schema "gpugauge.fabric/1" (docs/schema/fabric.schema.json). Throws
/// result::FormatError.
FabricInput parse_fabric(const std::string& text, const std::string& origin);

/// True for a process that was one of several ranks: its values belong to a set of nodes.
bool is_of_ranks(const result::Samples& samples);

/// The result of reading the files of ranks.
struct FabricInputs {
  std::vector<FabricInput> fabrics;  ///< one per metric and kind
  std::vector<UnreadFile> unread;    ///< collectives whose files do not name their nodes
  std::vector<std::string> remarks;  ///< sentences: what is not compared
};

/// Groups the sample files of ranks into collectives. Thread-safe for add().
class FabricCollector {
 public:
  /// Adds one file. `samples` must be from a rank. The file names of one collective differ only in ".rankN";
  /// the files lie in one folder, or in one folder per node.
  void add(const result::Samples& samples, const std::string& file, const std::string& label);
  /// Returns what was added, in the order of the file names. The lowest rank's values are used, since all
  /// ranks hold the same ones. If one rank could not measure, the collective failed; missing rank files give
  /// a remark. Files in several folders are one collective where nodes and number of ranks agree and no rank
  /// occurs twice; two measurements of one set would share a rank. If their names differ too, they are joined
  /// only where their values are bit-identical and both lack ranks.
  FabricInputs made() &&;

 private:
  struct Value {
    std::string metric, metric_class, unit;
    result::Direction better = result::Direction::higher;
    std::optional<double> value;
    std::string reason;
  };
  struct Rank {
    std::string file, label;
    std::vector<std::string> nodes;  ///< nodes of all ranks, sorted; empty: not recorded
    int ranks = 0;
    std::string kind;         ///< what must be the same on both sides of a comparison
    std::string description;  ///< the kind, in words
    std::string failure;      ///< why this rank measured nothing at all
    std::vector<Value> values;
    std::string node;  ///< its own node; "": not recorded
    NodeWays ways;     ///< what its log said
  };

  using Ranks = std::map<int, Rank>;  ///< one collective, by rank number

  std::vector<Ranks> together();  ///< Joins files that lie apart; empties collectives_.

  std::mutex mutex_;
  std::map<std::string, Ranks> collectives_;  ///< by file name without the rank
};

}  // namespace gpugauge::judge
