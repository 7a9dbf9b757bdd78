// The comparison inside one group of nodes of the same kind.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/peer_round.hpp"
#include "judge/peers.hpp"

namespace gpugauge::judge {

/// The runs of one node that did the same work, oldest first; at least one.
using PeerRounds = std::vector<const PeerRound*>;

/// What the comparison can see of a metric.
struct PeerSensitivity {
  std::string metric;    ///< result::metric_key
  double detects = 0;    ///< smallest drop, relative, found with 90% power
  double tolerance = 0;  ///< relative
};

/// A metric that some nodes measure, and too few for a comparison.
struct NotCompared {
  std::size_t metric = 0;  ///< index into the forms
  std::string sentence;    ///< "KEY: 3 of 40 nodes measure it"
  bool counts = false;     ///< half of them or more do: without it nothing has passed
};

/// What a comparison within one kind shows.
struct PeerGroupResult {
  std::vector<std::vector<Verdict>> verdicts;  ///< by node: what stands out
  std::vector<bool> again;                     ///< by node: a further run would decide something
  std::vector<std::size_t> compared_of;        ///< by node: its metrics that were compared
  std::size_t judged = 0;                      ///< metrics compared
  std::vector<NotCompared> not_judged;         ///< by key: what too few nodes have
  std::vector<std::string> unmeasured;         ///< sentences: families that no node could measure, or in part
  std::vector<PeerSensitivity> sensitivity;    ///< of judge_newcomer, by metric

  /// Where nothing was compared nobody has passed.
  bool compared() const { return judged > 0; }
};

/// `nodes` are of one kind; a metric is compared when more than half of them, and rules.fewest_values,
/// measured it, and it is missing where more than half have it and the node does not. Values that are only
/// recorded are compared with the others where the metric counts on one of `nodes`. A node's first run that
/// has the metric makes the scale. Each of its runs is held against the median over nodes at the time of its
/// own pass (peer_passes.hpp). A run that stands out after none or after one that did not selects the node,
/// and the runs after it confirm or acquit it.
PeerGroupResult judge_group(const std::vector<PeerRounds>& nodes, const std::vector<PeerForm>& forms,
                            const Policy& policy, const PeerRules& rules);

/// One node against those of a kind, which alone make the scale, and each of its runs against that. Its
/// verdicts are the only ones in the result, and its metrics those that count as compared. `scales` are those
/// of the kind for the next newcomer: made where it is empty.
PeerGroupResult judge_newcomer(const std::vector<PeerRounds>& nodes, const PeerRounds& newcomer,
                               const std::vector<PeerForm>& forms, const Policy& policy,
                               const PeerRules& rules, std::vector<PeerScale>& scales);

}  // namespace gpugauge::judge
