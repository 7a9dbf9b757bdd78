// When most nodes of a kind were measured once more, what moved all of them between the two times is nobody's
// fault: each run is held against the others at its own time. Who is measured again is often chosen by what
// is wrong with it: a pass over suspects tells nothing of what moved the fleet.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// Which pass over the nodes each run is of, by node, then by run: 0 for the first, and wherever nothing
/// tells. There are as many passes as at least half of the nodes, and `least` of them, have runs; a pass lies
/// at the median of the times of these runs, and a run is of the pass that lies nearest.
std::vector<std::vector<std::size_t>> passes_of(const std::vector<PeerRounds>& nodes, std::size_t least);

/// A value of one metric.
struct PassValue {
  std::size_t node = 0;  ///< its place among the nodes of the kind
  std::size_t pass = 0;  ///< of passes_of()
  double value = 0;      ///< on the scale
};

/// How far one metric of all nodes moved since the first pass.
struct PassShift {
  double by = 0;  ///< on the scale; 0 where nobody tells
  int nodes = 0;  ///< that tell it; 0 where too few do: then the pass is held against the first one
};

/// By pass; at least one. A node tells by its value there and by that of its first pass that has one, unless
/// it was in doubt before: in a run of an earlier pass above `centre` by more than `doubtful`. How far the
/// median of those that tell moved is taken for all, where they are more than half of the nodes that have the
/// metric, `nodes`. `values`: of each node and pass the first one counts.
std::vector<PassShift> shifts_of(std::span<const PassValue> values, std::size_t passes, std::size_t nodes,
                                 double centre, double doubtful);

}  // namespace gpugauge::judge
