// Looks for the causes of what makes nodes of a fleet unlike their peers.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "judge/judge_peers.hpp"
#include "report/node_causes.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Reads what a round was reduced from, with telemetry and notes; a history has only its facts. nullopt where
/// it is not there any more. Called by several threads at once.
using WholeRun = std::function<std::optional<result::Run>(const judge::PeerRound& round)>;

/// Diagnoses each node that was found or is suspect, by its newest run of everything, and no other node. Its
/// figures are those of the comparison: what stands out is slower, what lies within half of its tolerance of
/// the median of its kind is as fast, anything between tells nothing; the tolerances are `policy`'s. The other side is the three healthy
/// nodes of its kind that lie nearest to these medians: their clocks and loads are what is expected, and what
/// most of them agree on and the node has otherwise is changed. Where no node of its kind is healthy, only
/// what fails or is out of its limits is diagnosed. By the node's place in PeersJudgement::nodes; a node whose
/// run cannot be read again is left out.
std::map<std::size_t, report::NodeCauses> fleet_causes(const judge::PeersInput& input,
                                                       const judge::PeersJudgement& judgement,
                                                       const WholeRun& whole,
                                                       const judge::Policy& policy = {});

}  // namespace gpugauge::conductor
