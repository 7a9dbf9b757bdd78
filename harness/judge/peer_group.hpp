// Compares the nodes of one kind.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/peer_round.hpp"
#include "judge/peers.hpp"

namespace gpugauge::judge {

/// The runs of one node that did the same work, oldest first; at least one.
using PeerRounds = std::vector<const PeerRound*>;

/// How small a drop the comparison detects in a metric.
struct PeerSensitivity {
  std::string metric;    ///< result::metric_key
  double detects = 0;    ///< smallest relative drop found with 90% power
  double tolerance = 0;  ///< relative
};

/// A metric that too few nodes measure for a comparison.
struct NotCompared {
  std::size_t metric = 0;  ///< index into the forms
  std::string sentence;    ///< "KEY: 3 of 40 nodes measure it"
  bool counts = false;     ///< half of the nodes or more measure it: it prevents a pass
};

/// The result of a comparison within one kind.
struct PeerGroupResult {
  std::vector<std::vector<Verdict>> verdicts;  ///< by node: notable verdicts
  std::vector<bool> again;                     ///< by node: a further run would decide something
  std::vector<std::size_t> compared_of;        ///< by node: number of its metrics that were compared
  std::size_t judged = 0;                      ///< number of metrics compared
  std::vector<NotCompared> not_judged;         ///< by key: metrics that too few nodes have
  std::vector<std::string> unmeasured;  ///< sentences: families that no node measured in whole or in part
  std::vector<PeerSensitivity> sensitivity;  ///< set by judge_newcomer, by metric

  /// Whether any metric was compared; if none was, no node has passed.
  bool compared() const { return judged > 0; }
};

/// Compares `nodes`, which are of one kind. A metric is compared if more than half of them, and at least
/// rules.fewest_values, measured it. It is missing on a node without it if more than half have it. Values
/// recorded only are compared too where the metric counts on at least one node. A node's first run with the
/// metric makes the scale. Each run is compared with the median over nodes at the time of its own pass
/// (peer_passes.hpp). A run that stands out selects the node if it is the first, or the run before it did not
/// stand out. The runs after it confirm or acquit the node.
PeerGroupResult judge_group(const std::vector<PeerRounds>& nodes, const std::vector<PeerForm>& forms,
                            const Policy& policy, const PeerRules& rules);

/// Compares each run of one node with the nodes of a kind, which alone make the scale. The result holds only
/// the newcomer's verdicts and compared metrics. `scales` caches the kind's scales for the next newcomer;
/// filled if empty.
PeerGroupResult judge_newcomer(const std::vector<PeerRounds>& nodes, const PeerRounds& newcomer,
                               const std::vector<PeerForm>& forms, const Policy& policy,
                               const PeerRules& rules, std::vector<PeerScale>& scales);

}  // namespace gpugauge::judge
