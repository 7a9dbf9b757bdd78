// What a node's runs did not measure, and why; and what they show of its GPUs' health.
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

/// A peers verdict on this metric from one run, with no kind set yet.
Verdict blank_verdict(const PeerForm& form);

/// The run's fault for the benchmark, else for its family; nullptr if it has none.
const PeerFault* fault_of(const PeerRound& round, const std::string& benchmark);

/// The state of a metric in one run.
enum class InRun {
  held,             ///< it has a value
  lacking,          ///< it has no value, but most complete runs of its pass do
  lacking_as_most,  ///< it has no value, like most complete runs of its pass
};

/// One metric in the runs of one node, oldest first.
struct HeldMetric {
  const PeerForm& form;         ///< the metric; must outlive this
  int others = 0;               ///< other nodes that have it
  std::span<const InRun> runs;  ///< one entry per run
};

/// Returns a verdict if the node lacks the metric, else nullopt. Missing or failed is certain and counts:
/// what a run reports as not measurable, what none of its runs has, or what two or more later complete runs
/// lack. A later run with the metric cures one that lacked it, but not one that failed. In doubt, to be
/// measured again: what an interrupted run lacks, what was recorded without a value, and what a single later
/// complete run lacks.
std::optional<Verdict> lacking(const HeldMetric& metric, const PeerRounds& node, const DeviceCount& count);

/// Adds the benchmarks and families that failed in any run of a node, each once.
void add_failures(const PeerRounds& rounds, std::vector<Verdict>& verdicts);

/// Returns what the runs of a device, oldest first, show of its GPUs' health, each finding once. What failed in
/// any run stands: a later run does not repair it. What was in doubt stands unless a newer run tells the
/// contrary; one that tells nothing of it does not. Needs no peers.
std::vector<Verdict> health_of(const PeerRounds& rounds);

/// A sentence on the runs of GPUs that tell nothing of their health; "" if there is none.
std::string health_not_told(std::span<const PeerRound> rounds);

/// Collects what no node of a kind could measure.
class Unmeasured {
 public:
  /// Adds a node's faults. Benchmarks with a checksum, or with a value recorded only, count as measured.
  void add(const PeerRounds& node);
  void measured(const std::string& benchmark);  ///< Records that some node has a value of it.
  /// One sentence for each family that was not measured in whole or in part: "None of 12 nodes measured the
  /// family cublas; ...".
  std::vector<std::string> sentences(const DeviceCount& count) const;

 private:
  std::map<std::string, PeerFault> faults_;  ///< by benchmark or family, from the first run
  std::set<std::string> measured_;           ///< benchmarks and families
  std::set<const void*> seen_;               ///< PeerRound::recorded already taken; many runs share one
};

}  // namespace gpugauge::judge
