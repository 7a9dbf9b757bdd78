// Which metrics of one kind of nodes are compared, and which a node is expected to have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// The metrics of a kind that count on one of its nodes. What more than half of its nodes have is expected of
/// each; it is compared where enough have it for a median, and missing elsewhere whether it is or not.
struct ChosenMetrics {
  std::vector<std::size_t> forms;         ///< expected: those that are compared first, each part by key
  std::size_t compared = 0;               ///< so many of them
  std::vector<int> have;                  ///< nodes that have it, in the order of `forms`
  std::vector<std::size_t> place;         ///< by form: its place in `forms`, or beyond
  std::vector<NotCompared> not_compared;  ///< as PeerGroupResult::not_judged
  std::vector<std::string> unmeasured;    ///< as PeerGroupResult::unmeasured
};

/// `newcomer`: nullptr without one; what it has is measured, and makes no majority.
ChosenMetrics choose_metrics(const std::vector<PeerRounds>& nodes, const PeerRounds* newcomer,
                             const std::vector<PeerForm>& forms, const PeerRules& rules);

/// By pass and metric of `chosen`, whether most of the complete runs of that pass that were to measure it
/// have it. `passes`: by node and run.
std::vector<std::vector<bool>> usual_by_pass(const ChosenMetrics& chosen, const std::vector<PeerForm>& forms,
                                             const std::vector<PeerRounds>& nodes,
                                             const std::vector<std::vector<std::size_t>>& passes);

}  // namespace gpugauge::judge
