// The comparison inside one group of nodes of the same kind.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/peer_round.hpp"
#include "judge/peers.hpp"

namespace gpugauge::judge {

/// The runs of one node, oldest first; at least one.
using PeerRounds = std::vector<const PeerRound*>;

/// What the comparison can see of a metric.
struct PeerSensitivity {
  std::string metric;    ///< result::metric_key
  double detects = 0;    ///< smallest drop, relative, found with 90% power
  double tolerance = 0;  ///< relative
};

/// What a comparison within one kind shows.
struct PeerGroupResult {
  std::vector<std::vector<Verdict>> verdicts;  ///< by node: what stands out
  std::vector<bool> again;                     ///< by node: a further run would decide something
  std::size_t judged = 0;                      ///< metrics compared
  std::vector<std::string> not_judged;         ///< sentences about metrics that most nodes lack
  std::vector<PeerSensitivity> sensitivity;    ///< of judge_newcomer, by metric
};

/// Benchmarks and families that failed in any run of a node, each once.
void add_failures(const PeerRounds& rounds, std::vector<Verdict>& verdicts);

/// `nodes` are of one kind; a metric is compared when half of them, and rules.minimum_nodes, measured it.
PeerGroupResult judge_group(const std::vector<PeerRounds>& nodes, const std::vector<PeerForm>& forms,
                            const Policy& policy, const PeerRules& rules);

/// One node against those of a kind, which alone make the scale. Its verdicts are the only ones in the
/// result.
PeerGroupResult judge_newcomer(const std::vector<PeerRounds>& nodes, const PeerRounds& newcomer,
                               const std::vector<PeerForm>& forms, const Policy& policy,
                               const PeerRules& rules);

}  // namespace gpugauge::judge
