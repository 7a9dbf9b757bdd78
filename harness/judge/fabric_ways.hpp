// The ways that NCCL's log names, node by node: what a slow node has and the others have not.
#pragma once

#include <string>

#include "judge/fabric.hpp"

namespace gpugauge::judge {

/// Adds the words of `more`, each once and sorted.
void add_ways(NodeWays& ways, const NodeWays& more);

/// The judgement with each node's ways, and in each finding of one node a clause with the node's ways
/// and those of the other nodes where it took no part: "NCCL's log there: transport socket, network Socket;
/// elsewhere: transport ib, network IB". Of warnings and reasons each side has those that the other has not.
/// Where one side is not known the finding stays as it is.
FabricJudgement with_ways(const FabricInput& input, FabricJudgement judged);

}  // namespace gpugauge::judge
