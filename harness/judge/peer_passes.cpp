#include "judge/peer_passes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// The times of the passes: the first, and the others if enough nodes have them.
std::vector<double> times_of(const std::vector<PeerRounds>& nodes, std::size_t least) {
  std::vector<double> out;
  while (true) {
    std::vector<double> times;
    for (const PeerRounds& node : nodes)
      if (out.size() < node.size() && node[out.size()]->started) times.push_back(*node[out.size()]->started);
    if (times.size() < least || 2 * times.size() < nodes.size()) return out;
    out.push_back(median(times));
  }
}

}  // namespace

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

std::vector<PassShift> shifts_of(std::span<const PassValue> values, std::size_t passes, std::size_t nodes,
                                 double centre, double doubtful) {
  struct Known {
    std::optional<double> value;  // shifted to the first pass
    bool doubted = false;
    std::size_t told = 0;  // last pass whose shift it showed
  };
  std::vector<Known> known;
  for (const PassValue& one : values)
    if (one.node >= known.size()) known.resize(one.node + 1);
  std::vector<PassShift> out(std::max<std::size_t>(1, passes));
  for (std::size_t pass = 0; pass < out.size(); ++pass) {
    std::vector<double> then;
    std::vector<double> now;
    for (const PassValue& one : values) {
      Known& node = known[one.node];
      if (one.pass != pass || node.doubted || !node.value || node.told == pass) continue;
      node.told = pass;
      then.push_back(*node.value);
      now.push_back(one.value);
    }
    if (2 * now.size() > nodes) out[pass] = {median(now) - median(then), static_cast<int>(now.size())};
    for (const PassValue& one : values) {
      if (one.pass != pass) continue;
      Known& node = known[one.node];
      const double there = one.value - out[pass].by;
      if (!node.value) node.value = there;
      node.doubted = node.doubted || there - centre > doubtful;
    }
  }
  return out;
}

}  // namespace gpugauge::judge
