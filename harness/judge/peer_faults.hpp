// What a run of a node did not measure, and why.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "judge/peer_group.hpp"
#include "judge/peer_hosts.hpp"

namespace gpugauge::judge {

/// A verdict of the peers on this metric, of one run, still without a kind.
Verdict blank_verdict(const PeerForm& form);

/// What the run says of the benchmark, else of its family; nullptr where it says nothing.
const PeerFault* fault_of(const PeerRound& round, const std::string& benchmark);

/// A metric in one run.
enum class InRun {
  held,             ///< it has a value
  lacking,          ///< it has none, and most whole runs of its pass over the nodes have one
  lacking_as_most,  ///< it has none, as these
};

/// One metric in the runs of one node, oldest first.
struct HeldMetric {
  const PeerForm& form;         ///< the metric; must outlive this
  int others = 0;               ///< nodes that have it, without this one
  std::span<const InRun> runs;  ///< one entry a run
};

/// What the node lacks of it; nullopt where it has it. Missing, or failed, is certain and counts: what a run
/// says it could not measure, what none of its runs has, and what two later runs of everything or more lost.
/// A later run that has it makes good one that lacked it, and none that failed. In doubt, and to be measured
/// again, is what a run that was cut short lacks, what was recorded without a value, and what one later run
/// of everything lost.
std::optional<Verdict> lacking(const HeldMetric& metric, const PeerRounds& node, const DeviceCount& count);

/// Benchmarks and families that failed in any run of a node, each once.
void add_failures(const PeerRounds& rounds, std::vector<Verdict>& verdicts);

/// What none of the nodes of a kind could measure.
class Unmeasured {
 public:
  /// Takes what its runs could not measure, and what they measured without a value that is compared.
  void add(const PeerRounds& node);
  void measured(const std::string& benchmark);  ///< Some node has a value of it.
  /// One for each family that is, or holds, such: "None of 12 nodes measured the family cublas; ...".
  std::vector<std::string> sentences(const DeviceCount& count) const;

 private:
  std::map<std::string, PeerFault> faults_;  ///< by what, of the first run
  std::set<std::string> measured_;           ///< benchmarks and families
  std::set<const void*> seen_;               ///< PeerRound::recorded, which many runs share
};

}  // namespace gpugauge::judge
