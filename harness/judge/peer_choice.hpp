// Chooses which metrics of one kind of nodes are compared, and which a node is expected to have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// The metrics of a kind that count on at least one node. A metric that more than half of the nodes have is
/// expected of each node. It is compared if enough nodes have it for a median, and missing on a node without
/// it in either case.
struct ChosenMetrics {
  std::vector<std::size_t> forms;         ///< expected metrics: the compared ones first, each part by key
  std::size_t compared = 0;               ///< how many of `forms`, from the front, are compared
  std::vector<int> have;                  ///< number of nodes that have the metric, in the order of `forms`
  std::vector<std::size_t> place;         ///< by form: its index in `forms`, or beyond the end
  std::vector<NotCompared> not_compared;  ///< as PeerGroupResult::not_judged
  std::vector<std::string> unmeasured;    ///< as PeerGroupResult::unmeasured
};

/// Chooses the metrics. The newcomer's metrics count as measured, but not towards a majority; nullptr without
/// a newcomer.
ChosenMetrics choose_metrics(const std::vector<PeerRounds>& nodes, const PeerRounds* newcomer,
                             const std::vector<PeerForm>& forms, const PeerRules& rules);

/// By pass and metric of `chosen`: whether most complete runs of that pass that should measure it have it.
/// `passes`: by node and run.
std::vector<std::vector<bool>> usual_by_pass(const ChosenMetrics& chosen, const std::vector<PeerForm>& forms,
                                             const std::vector<PeerRounds>& nodes,
                                             const std::vector<std::vector<std::size_t>>& passes);

}  // namespace gpugauge::judge
