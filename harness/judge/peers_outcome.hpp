// What the judgement of a fleet comes to, as one sentence and one exit code.
#pragma once

#include "judge/judge_peers.hpp"
#include "judge/peer_hosts.hpp"

namespace gpugauge::judge {

/// The rule is that of judge_peers(). `count_of_all`: of all devices that were read.
Outcome outcome_of(const PeersJudgement& judgement, const DeviceCount& count_of_all, bool strict);

}  // namespace gpugauge::judge
