// Reduces the judgement of a fleet to one sentence and one exit code.
#pragma once

#include "judge/judge_peers.hpp"
#include "judge/peer_hosts.hpp"

namespace gpugauge::judge {

/// Applies the rule of judge_peers(). `count_of_all` counts all devices that were read.
Outcome outcome_of(const PeersJudgement& judgement, const DeviceCount& count_of_all, bool strict);

}  // namespace gpugauge::judge
