#include "conductor/nvlinks.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "judge/gpu_way.hpp"

namespace gpugauge::conductor {

void add_nvlinks(const std::vector<result::Run>& rounds, diagnose::Observation& out) {
  int fewest = std::numeric_limits<int>::max();
  int board = 0;  // links that are down do not count: a model may have fewer than its chip
  for (const result::Run& run : rounds)
    for (const judge::BoardLinks& gpu : judge::links_to_switches(run)) {
      fewest = std::min(fewest, gpu.up);
      board = std::max({board, gpu.up, gpu.of_model});
    }
  if (board == 0) return;
  if (fewest > 0) out.inventory["topology.path"] = std::string("nvlink");
  out.telemetry["nvlinks_active"] = static_cast<double>(fewest);
  out.telemetry["nvlinks_expected"] = static_cast<double>(board);
}

}  // namespace gpugauge::conductor
