#include "fleets.hpp"

#include <set>

#include "judge/peers.hpp"
#include "judge/statistics.hpp"
#include "machine.hpp"

namespace gpugauge::simulation {
namespace {

bool slow_node(std::size_t node) {
  return node % 16 == 0;
}

class Fleet {
 public:
  Fleet(std::uint64_t seed, const FleetCell& cell)
      : cell_(cell), engine_(seed), machine_(seed + 1, Noise::clean) {
    machine_.new_node();
    machine_.new_round();
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(.005, .01);
    for (std::size_t m = 0; m < metrics; ++m) {
      double spread = uniform(engine_);
      // Drawn only where it is asked for: the other cells keep their numbers.
      if (cell.noisy > 0 && share_(engine_) < cell.noisy) spread = tolerance * (.5 + 1.5 * share_(engine_));
      for (std::size_t n = 0; n < cell.nodes; ++n) own_.push_back(spread * normal(engine_));
    }
  }

  double measure(std::size_t metric, std::size_t node) {
    const double drop = slow_node(node) ? drop_of(metric, cell_.drop) : 0;
    return own_[metric * cell_.nodes + node] + judge::median(machine_.round(metric, drop));
  }

 private:
  const FleetCell& cell_;
  std::mt19937_64 engine_;
  Machine machine_;
  std::uniform_real_distribution<double> share_;
  std::vector<double> own_;
};

}  // namespace

FleetTally fleet_nights(const FleetCell& cell) {
  judge::PeerRules rules;
  rules.node_level = cell.node_level;
  FleetTally tally;
  tally.fleets = cell.fleets;
  for (int f = 0; f < cell.fleets; ++f) {
    Fleet fleet(9000 + 1000 * static_cast<std::uint64_t>(f) + cell.nodes, cell);
    std::vector<judge::PeerMetric> measured(metrics);
    for (std::size_t m = 0; m < metrics; ++m) {
      measured[m].tolerance = tolerance;
      for (std::size_t n = 0; n < cell.nodes; ++n) measured[m].values.push_back(fleet.measure(m, n));
    }
    const judge::PeerScreen screen = judge::screen_peers(measured, rules);
    std::set<std::size_t> again;
    std::set<std::size_t> said;
    bool alarm = false;
    for (const judge::PeerSuspect& suspect : screen.suspects) {
      const judge::PeerScale& scale = screen.scales[suspect.metric];
      const double fresh = fleet.measure(suspect.metric, suspect.node) - scale.centre;
      const judge::PeerDecision decision = judge::retest(suspect, scale, tolerance, fresh, rules);
      const bool planted = cell.drop > 0 && slow_node(suspect.node) && drop_of(suspect.metric, cell.drop) > 0;
      if (planted) {
        tally.found += decision == judge::PeerDecision::confirmed ? 1 : 0;
        tally.said += decision != judge::PeerDecision::cleared ? 1 : 0;
      } else {
        again.insert(suspect.node);
        if (decision != judge::PeerDecision::cleared) said.insert(suspect.node);
        alarm = alarm || decision == judge::PeerDecision::confirmed;
      }
    }
    tally.alarmed_fleets += alarm ? 1 : 0;
    tally.healthy_again += static_cast<long>(again.size());
    tally.healthy_said += static_cast<long>(said.size());
    for (std::size_t n = 0; n < cell.nodes; ++n) {
      const bool slow = cell.drop > 0 && slow_node(n);
      tally.healthy_nodes += slow ? 0 : 1;
      tally.slow += slow ? static_cast<long>(injected) : 0;
    }
  }
  return tally;
}

}  // namespace gpugauge::simulation
