// From files to sets of nodes: the sample files that the ranks of a collective leave, one a process, and the
// list of measurements that a search through a fabric writes.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "judge/fabric.hpp"
#include "judge/judge_peers.hpp"
#include "result/samples.hpp"

namespace gpugauge::judge {

/// Of a list of measurements.
inline constexpr std::string_view fabric_schema = "gpugauge.fabric/1";

/// Reads a list of measurements, schema "gpugauge.fabric/1" (docs/schema/fabric.schema.json). Throws
/// result::FormatError.
FabricInput parse_fabric(const std::string& text, const std::string& origin);

/// True for a process that was one of several ranks: what it measured belongs to a set of nodes.
bool is_of_ranks(const result::Samples& samples);

/// What the files of ranks came to.
struct FabricInputs {
  std::vector<FabricInput> fabrics;  ///< one a metric and kind
  std::vector<UnreadFile> unread;    ///< collectives whose nodes nobody wrote down
  std::vector<std::string> remarks;  ///< sentences: what is not compared
};

/// Takes the sample files of ranks together; several threads may add at once.
class FabricCollector {
 public:
  /// `samples` must be of a rank. `file`: ranks of one collective differ in its name by ".rankN" alone; they
  /// lie in one folder, or those of each node in a folder of its own.
  void add(const result::Samples& samples, const std::string& file, const std::string& label);
  /// What was added, in the order of the files' names. Of a collective the lowest rank speaks, since all
  /// ranks have the same values; where one of them could not measure, all of it failed; where files of ranks
  /// are lacking, a remark says so. Files that lie apart are one collective where nodes and number of ranks
  /// are the same and no rank is there twice: two measurements of a set have some rank in common. Where they
  /// are called otherwise, too, their values tell: to the last bit the same, and ranks lack in both.
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
    std::vector<std::string> nodes;  ///< of all ranks, sorted; empty: not written down
    int ranks = 0;
    std::string kind;         ///< what must be the same on both sides of a comparison
    std::string description;  ///< of it, for people
    std::string failure;      ///< why this rank measured nothing at all
    std::vector<Value> values;
  };

  using Ranks = std::map<int, Rank>;  ///< of one collective, by number

  std::vector<Ranks> together();  ///< Empties collectives_.

  std::mutex mutex_;
  std::map<std::string, Ranks> collectives_;  ///< by file without its rank
};

}  // namespace gpugauge::judge
