// Groups runs into passes over the nodes. If most nodes were measured again, a change common to all of them
// between the passes is no node's fault. So each run is compared with the others of its own pass. A pass over
// suspects only does not show what moved the fleet.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// Returns the pass of each run, by node, then by run; 0 for the first, and if nothing tells. There are as
/// many passes as at least half of the nodes, and at least `least` nodes, have runs. A pass lies at the
/// median time of these runs, and each run belongs to the nearest pass.
std::vector<std::vector<std::size_t>> passes_of(const std::vector<PeerRounds>& nodes, std::size_t least);

/// One value of a metric.
struct PassValue {
  std::size_t node = 0;  ///< index of the node within its kind
  std::size_t pass = 0;  ///< as returned by passes_of()
  double value = 0;      ///< on the scale
};

/// The common change of a metric over all nodes since the first pass.
struct PassShift {
  double by = 0;  ///< on the scale; 0 if too few nodes show it
  int nodes = 0;  ///< nodes that show it; 0 if too few do, and the pass is then compared with the first one
};

/// Returns one shift per pass, at least one. A node shows a shift by its value in the pass against its value
/// in its first pass with one. It is ignored once an earlier value was above `centre` by more than
/// `doubtful`. The difference of the medians over these nodes applies to all, if they are more than half of
/// `nodes`, the number of nodes with the metric. `values`: the first one per node and pass counts.
std::vector<PassShift> shifts_of(std::span<const PassValue> values, std::size_t passes, std::size_t nodes,
                                 double centre, double doubtful);

}  // namespace gpugauge::judge
