#include "judge/peer_passes.hpp"

#include <algorithm>
#include <cmath>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// When each pass was: the first of them, and the others as far as there are enough nodes.
std::vector<double> times_of(const std::vector<PeerRounds>& nodes, std::size_t least) {
  std::vector<double> out;
  while (true) {
    std::vector<double> times;
    for (const PeerRounds& node : nodes)
      if (out.size() < node.size() && node[out.size()]->started) times.push_back(*node[out.size()]->started);
    if (!enough_for_pass(times.size(), nodes.size(), least)) return out;
    out.push_back(median(times));
  }
}

}  // namespace

bool enough_for_pass(std::size_t have, std::size_t nodes, std::size_t least) {
  return have >= least && 2 * have >= nodes;
}

std::vector<std::vector<std::size_t>> passes_of(const std::vector<PeerRounds>& nodes, std::size_t least) {
  const std::vector<double> times = times_of(nodes, least);
  std::vector<std::vector<std::size_t>> out;
  out.reserve(nodes.size());
  for (const PeerRounds& node : nodes) {
    std::vector<std::size_t>& passes = out.emplace_back(node.size(), 0);
    if (times.size() < 2) continue;
    for (std::size_t r = 0; r < node.size(); ++r) {
      if (!node[r]->started) continue;
      const auto nearest = std::min_element(times.begin(), times.end(), [&](double a, double b) {
        return std::abs(a - *node[r]->started) < std::abs(b - *node[r]->started);
      });
      passes[r] = static_cast<std::size_t>(nearest - times.begin());
    }
  }
  return out;
}

}  // namespace gpugauge::judge
