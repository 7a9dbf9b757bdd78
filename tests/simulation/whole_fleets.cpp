// Fleets of the shape that run files have, from rounds to named nodes.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fleets.hpp"
#include "judge/judge_peers.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::simulation {
namespace {

constexpr std::size_t benchmarks = 100;
constexpr int processes_of_round = 5;
constexpr std::array classes{"hbm", "gemm16", "l2", "launch", "h2d", "d2h", "primitive", "sync"};

enum class Fault { none, slow_class, half_speed };

/// Both metrics of a benchmark tell of the same time, as they do in run files.
class ShapedFleet {
 public:
  ShapedFleet(std::uint64_t seed, const WholeCell& cell) : cell_(cell), engine_(seed) {
    for (std::size_t i = 0; i < cell.nodes * benchmarks; ++i) own_.push_back(.01 * normal_(engine_));
    for (std::size_t b = 0; b < benchmarks; ++b) {
      const std::string id = fmt::format("synthetic/op/{:03}", b);
      const std::string metric_class = classes[b % classes.size()];
      input_.metrics.push_back(
          {id + ":bandwidth", id, metric_class, "byte/second", result::Direction::higher});
      input_.metrics.push_back({id + ":time_p90", id, metric_class, "second", result::Direction::lower});
    }
    for (std::size_t n = 0; n < cell.nodes; ++n) measure(n, 1);
  }

  Fault fault(std::size_t node) const {
    if (!cell_.faults || node % 97 != 5) return Fault::none;
    return node / 97 % 2 == 0 ? Fault::slow_class : Fault::half_speed;
  }
  void measure(std::size_t node, int round) {
    judge::PeerRound made;
    made.node = made.label = fmt::format("node-{:05}", node);
    made.device = made.node;
    made.id = fmt::format("{}-{}", made.node, round);
    made.file = made.id + ".json";
    made.kind = "gpu";
    made.fingerprint = fingerprint_;
    for (std::uint32_t b = 0; b < benchmarks; ++b) {
      const double level = own_[node * benchmarks + b] + .003 * normal_(engine_) + slowness(node, b);
      std::array<double, processes_of_round> rate{};
      std::array<double, processes_of_round> tail{};
      for (std::size_t p = 0; p < rate.size(); ++p) {
        const double process = level + .005 * normal_(engine_);
        rate[p] = 1e12 * std::exp(-process);
        tail[p] = 1e-5 * std::exp(process + .002 * normal_(engine_));
      }
      made.values.push_back({.metric = 2 * b, .value = judge::median(rate)});
      made.values.push_back({.metric = 2 * b + 1, .value = judge::median(tail)});
    }
    input_.rounds.push_back(std::move(made));
  }
  const judge::PeersInput& input() const { return input_; }

 private:
  double slowness(std::size_t node, std::size_t benchmark) const {
    switch (fault(node)) {
      case Fault::slow_class:
        return benchmark % classes.size() == 0 ? std::log(1.08) : 0;
      case Fault::half_speed:
        return benchmark == 3 ? std::log(2) : 0;
      case Fault::none:
        break;
    }
    return 0;
  }

  const WholeCell& cell_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::vector<double> own_;
  judge::PeersInput input_;
  std::shared_ptr<const result::Fingerprint> fingerprint_ = std::make_shared<const result::Fingerprint>();
};

std::size_t number_of(const judge::NodeJudgement& node) {
  return std::stoul(node.label.substr(node.label.find('-') + 1));
}

}  // namespace

WholeTally whole_fleets(const WholeCell& cell) {
  judge::PeerRules rules;
  rules.node_level = cell.node_level;
  WholeTally tally;
  tally.fleets = cell.fleets;
  for (int f = 0; f < cell.fleets; ++f) {
    ShapedFleet fleet(70000 + static_cast<std::uint64_t>(f), cell);
    const judge::PeersJudgement first = judge::judge_peers(fleet.input(), {}, false, rules);
    std::set<std::size_t> again;
    for (const judge::NodeJudgement& node : first.nodes)
      if (node.measure_again) again.insert(number_of(node));
    for (const std::size_t node : again) {
      fleet.measure(node, 2);
      tally.healthy_again += fleet.fault(node) == Fault::none ? 1 : 0;
    }
    int wrongly = 0;
    int missed = 0;
    for (const judge::NodeJudgement& node : judge::judge_peers(fleet.input(), {}, false, rules).nodes) {
      const bool faulty = fleet.fault(number_of(node)) != Fault::none;
      const bool found = node.state == judge::NodeState::found;
      wrongly += found && !faulty ? 1 : 0;
      missed += faulty && !found ? 1 : 0;
      tally.found += faulty && found ? 1 : 0;
      (faulty ? tally.faulty : tally.healthy) += 1;
    }
    tally.accused += wrongly > 0 ? 1 : 0;
    tally.exact += wrongly == 0 && missed == 0 ? 1 : 0;
  }
  return tally;
}

}  // namespace gpugauge::simulation
