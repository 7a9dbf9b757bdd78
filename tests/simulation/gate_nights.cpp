// GPUGauge's own gate, with class means, as judge_baseline puts them together.
#include <algorithm>
#include <numeric>

#include "judge/class_mean.hpp"
#include "nights.hpp"

namespace gpugauge::simulation {
namespace {

using judge::Calibration;
using judge::ClassMean;
using judge::Decision;
using judge::RoundValues;
using judge::Series;

/// Class means that a night has: a part of a class has none.
std::size_t classes_of(const Cell& cell) {
  return cell.metrics / class_size;
}

/// A node with its baseline: metrics first, class means behind them.
struct Node {
  Calibration metrics_only;
  Calibration calibration;
  std::vector<ClassMean> means;
};

Node learn(Machine& machine, const Cell& cell, Members members, const judge::GateRules& rules) {
  std::vector<Series> series(cell.metrics);
  for (Series& metric : series) metric.tolerance = tolerance;
  for (int k = 0; k < cell.baseline_rounds; ++k) {
    machine.new_round();
    for (std::size_t m = 0; m < cell.metrics; ++m) series[m].rounds.push_back(machine.round(m, 0));
  }
  Node node;
  node.metrics_only = judge::calibrate(series, rules);
  Calibration taking_part = node.metrics_only;
  if (members == Members::all)
    for (judge::Scale& scale : taking_part.scales) scale.advisory = false;
  for (std::size_t c = 0; c < classes_of(cell) && members != Members::none; ++c) {
    std::vector<std::size_t> candidates(class_size);
    std::iota(candidates.begin(), candidates.end(), c * class_size);
    node.means.push_back(
        judge::class_mean(series, taking_part, candidates, judge::class_mean_share * tolerance));
  }
  for (const ClassMean& mean : node.means) series.push_back(mean.series);
  node.calibration = judge::calibrate(series, rules);
  return node;
}

/// Tonight's rounds: what is in doubt is measured again, with all members of a class in doubt.
class Night {
 public:
  Night(Machine& machine, const Cell& cell, const Node& node, const judge::GateRules& rules)
      : machine_(machine), cell_(cell), node_(node), now_(node.calibration.scales.size()) {
    measure(std::vector<bool>(cell.metrics, true));
    results_ = judge::decide(node.calibration, now_, rules);
    while (true) {
      const std::vector<bool> wanted = in_doubt();
      const auto count = std::count(wanted.begin(), wanted.end(), true);
      if (count == 0) return;
      repeated_ += count;
      measure(wanted);
      results_ = judge::decide(node.calibration, now_, rules);
    }
  }

  const std::vector<judge::GateResult>& results() const { return results_; }
  long repeated() const { return repeated_; }

 private:
  std::vector<bool> in_doubt() const {
    std::vector<bool> wanted(cell_.metrics, false);
    for (std::size_t m = 0; m < cell_.metrics; ++m) wanted[m] = results_[m].again;
    for (std::size_t c = 0; c < node_.means.size(); ++c)
      if (results_[cell_.metrics + c].again)
        for (const std::size_t m : node_.means[c].members) wanted[m] = true;
    return wanted;
  }

  void measure(const std::vector<bool>& wanted) {
    machine_.new_round();
    std::vector<RoundValues> round(cell_.metrics);
    for (std::size_t m = 0; m < cell_.metrics; ++m) {
      const double class_drop = m / class_size + 1 == classes_of(cell_) ? cell_.class_drop : 0;
      if (wanted[m]) round[m] = machine_.round(m, drop_of(m, cell_.drop) + class_drop);
      now_[m].push_back(round[m]);
    }
    for (std::size_t c = 0; c < node_.means.size(); ++c)
      now_[cell_.metrics + c].push_back(judge::class_round(node_.means[c], node_.metrics_only, round));
  }

  Machine& machine_;
  const Cell& cell_;
  const Node& node_;
  std::vector<std::vector<RoundValues>> now_;
  std::vector<judge::GateResult> results_;
  long repeated_ = 0;
};

/// Class means with a slower member are neither false nor counted.
bool touched(std::size_t index, const Cell& cell) {
  const std::size_t c = index < cell.metrics ? index / class_size : index - cell.metrics;
  if (cell.class_drop > 0 && c + 1 == classes_of(cell)) return true;
  if (cell.drop <= 0) return false;
  return index < cell.metrics ? index < injected : c <= (injected - 1) / class_size;
}

void count(const std::vector<judge::GateResult>& results, const Cell& cell, Tally& tally) {
  bool alarm = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Decision decision = results[i].decision;
    const bool undecided = decision == Decision::inconclusive || decision == Decision::unstable;
    if (!touched(i, cell)) {
      alarm = alarm || decision == Decision::regressed;
      tally.healthy += 1;
      tally.healthy_undecided += undecided ? 1 : 0;
    } else if (i < injected) {
      tally.injected += 1;
      tally.found += decision == Decision::regressed ? 1 : 0;
      tally.called_ok += decision == Decision::ok || decision == Decision::improved ? 1 : 0;
      tally.undecided += undecided ? 1 : 0;
    }
  }
  tally.alarmed_nights += alarm ? 1 : 0;
  if (classes_of(cell) > 0 && results.size() == cell.metrics + classes_of(cell) &&
      results.back().decision == Decision::regressed)
    ++tally.class_found;
}

}  // namespace

Tally gate_nights(const Cell& cell, Members members, std::size_t noisy) {
  // One seed a cell, so that cells may be added without changing the others.
  Machine machine(20240607 + static_cast<std::uint64_t>(cell.noise) * 1000 +
                      static_cast<std::uint64_t>(cell.drop * 10000),
                  cell.noise);
  const judge::GateRules rules;
  Tally tally;
  tally.nights = cell.nights;
  for (int night = 0; night < cell.nights; ++night) {
    machine.new_node();
    if (noisy > 0) machine.make_noisy(noisy, .05);
    const Node node = learn(machine, cell, members, rules);
    const Night tonight(machine, cell, node, rules);
    tally.repeated += tonight.repeated();
    count(tonight.results(), cell, tally);
  }
  return tally;
}

}  // namespace gpugauge::simulation
