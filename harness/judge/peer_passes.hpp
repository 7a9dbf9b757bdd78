// When most nodes of a kind were measured once more, what moved all of them between the two times is nobody's
// fault: each run is held against those of its own time.
#pragma once

#include <cstddef>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// Which pass over the nodes each run is of, by node, then by run: 0 for the first, and wherever nothing
/// tells. There are as many passes as at least half of the nodes, and `least` of them, have runs; a pass lies
/// at the median of the times of these runs, and a run is of the pass that lies nearest.
std::vector<std::vector<std::size_t>> passes_of(const std::vector<PeerRounds>& nodes, std::size_t least);

/// Whether so many of the nodes are enough for a median of their own.
bool enough_for_pass(std::size_t have, std::size_t nodes, std::size_t least);

}  // namespace gpugauge::judge
