// What a run of a node did not measure, and why.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "judge/peer_group.hpp"
#include "judge/peer_hosts.hpp"

namespace gpugauge::judge {

/// A verdict of the peers on this metric, of one run, still without a kind.
Verdict blank_verdict(const PeerForm& form);

/// What the run says of the benchmark, else of its family; nullptr where it says nothing.
const PeerFault* fault_of(const PeerRound& round, const std::string& benchmark);

/// A metric that `have` of the others measured and this run did not. Missing is certain, and counts, unless
/// the run was cut short.
Verdict missing_metric(const PeerForm& form, const PeerRound& round, int have, const DeviceCount& count);

/// Benchmarks and families that failed in any run of a node, each once.
void add_failures(const PeerRounds& rounds, std::vector<Verdict>& verdicts);

/// What none of the nodes of a kind could measure.
class Unmeasured {
 public:
  void add(const PeerRounds& node);             ///< Takes what its runs could not measure.
  void measured(const std::string& benchmark);  ///< Some node has a value of it.
  /// One for each family that is, or holds, such: "None of 12 nodes measured the family cublas; ...".
  std::vector<std::string> sentences(const DeviceCount& count) const;

 private:
  std::map<std::string, PeerFault> faults_;  ///< by what, of the first run
  std::set<std::string> measured_;           ///< benchmarks and families
};

}  // namespace gpugauge::judge
