#include "conductor/fleet_causes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "result/threads.hpp"

namespace gpugauge::conductor {
namespace {

using judge::NodeJudgement;
using judge::NodeState;
using judge::PeerRound;
using judge::Verdict;
using judge::VerdictKind;

constexpr std::size_t most_peers = 3;  ///< of one of them an oddity of its own would count
constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// Calls `take` with each value that counts.
template <typename Take>
void each_value(const PeerRound& round, const Take& take) {
  for (std::size_t i = 0; i + round.recorded_values < round.values.size(); ++i) take(round.values[i]);
}

/// A kind of nodes, as far as its odd ones need it.
struct Kind {
  std::vector<double> medians;      ///< by form, in its unit; NaN where less than half of the nodes have it
  std::vector<result::Run> peers;   ///< runs of its most usual healthy nodes
  std::vector<std::string> labels;  ///< of these nodes
};

class Fleet {
 public:
  Fleet(const judge::PeersInput& input, const judge::PeersJudgement& judgement, const WholeRun& whole,
        const judge::Policy& policy)
      : input_(input), judgement_(judgement), whole_(whole), policy_(policy) {
    for (const PeerRound& round : input.rounds) rounds_[round.node].emplace(round.id, &round);
    for (std::size_t n = 0; n < judgement.nodes.size(); ++n) {
      const NodeJudgement& node = judgement.nodes[n];
      const bool odd = node.state == NodeState::found || node.state == NodeState::suspect;
      if (odd && newest(node) != nullptr) wanted_.push_back(n);
    }
    for (const std::size_t n : wanted_)
      if (const std::size_t group = judgement.nodes[n].group; !kinds_.contains(group))
        kinds_.emplace(group, kind_of(group));
  }

  report::CausesOfNodes causes() {
    std::vector<std::optional<report::NodeCauses>> found(wanted_.size());
    result::for_each_in_parallel(wanted_.size(), std::thread::hardware_concurrency(),
                                 [&](std::size_t i) { found[i] = causes_of(judgement_.nodes[wanted_[i]]); });
    report::CausesOfNodes out;
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      if (found[i]) out.emplace(wanted_[i], std::move(*found[i]));
    return out;
  }

 private:
  /// The node's newest run of everything in its kind, else its newest one; nullptr for a node without a run.
  const PeerRound* newest(const NodeJudgement& node) const {
    const auto rounds = rounds_.find(node.node);
    if (rounds == rounds_.end()) return nullptr;
    const PeerRound* out = nullptr;
    for (const std::string& id : node.group_runs)
      if (const auto found = rounds->second.find(id);
          found != rounds->second.end() && (out == nullptr || found->second->first || !out->first))
        out = found->second;
    return out;
  }

  Kind kind_of(std::size_t group) const {
    std::vector<std::vector<double>> values(input_.metrics.size());
    std::vector<std::pair<const NodeJudgement*, const PeerRound*>> nodes;
    for (const NodeJudgement& node : judgement_.nodes) {
      const PeerRound* const round = node.group == group ? newest(node) : nullptr;
      if (round == nullptr) continue;
      nodes.emplace_back(&node, round);
      each_value(*round, [&](const judge::PeerValue& one) { values[one.metric].push_back(one.value); });
    }
    Kind out;
    out.medians.assign(values.size(), absent);
    for (std::size_t m = 0; m < values.size(); ++m)
      if (2 * values[m].size() > nodes.size()) out.medians[m] = judge::median(std::move(values[m]));
    std::vector<std::pair<double, std::size_t>> usual;  // how far from the medians, and which node
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].first->state == NodeState::healthy)
        usual.emplace_back(distance(*nodes[n].second, out.medians), n);
    std::sort(usual.begin(), usual.end());
    for (const auto& [far, n] : usual) {
      if (out.peers.size() == most_peers) break;
      if (auto run = whole_(*nodes[n].second)) {
        out.peers.push_back(std::move(*run));
        out.labels.push_back(nodes[n].first->label);
      }
    }
    return out;
  }

  /// Mean distance from the medians, a step on the scale; a run without a value is far off.
  static double distance(const PeerRound& round, const std::vector<double>& medians) {
    double sum = 0;
    std::size_t count = 0;
    each_value(round, [&](const judge::PeerValue& one) {
      if (std::isnan(medians[one.metric]) || one.value <= 0 || medians[one.metric] <= 0) return;
      sum += std::abs(std::log(one.value / medians[one.metric]));
      ++count;
    });
    return count == 0 ? std::numeric_limits<double>::infinity() : sum / static_cast<double>(count);
  }

  std::optional<report::NodeCauses> causes_of(const NodeJudgement& node) const {
    const PeerRound& round = *newest(node);
    auto run = whole_(round);
    if (!run) return std::nullopt;
    const Kind& kind = kinds_.at(node.group);
    report::DeviceReport device;
    device.label = node.label;
    device.selection = node.device;
    const bool whole = !run->processes.empty();
    device.verdicts = verdicts_of(node, round, kind, whole);
    if (whole)
      for (Verdict& verdict : judge::judge_physical(*run)) device.verdicts.push_back(std::move(verdict));
    judge::apply_advisory(policy_, device.verdicts);
    device.rounds.push_back(std::move(*run));
    report::NodeCauses out{kind.labels, observe_among(device, kind.peers), {}};
    out.observation.about.source = "gpugauge fleet, " + node.label;
    out.diagnosis = diagnose::diagnose(out.observation);
    return out;
  }

  /// The comparison as a check's: what stands out, and what is as fast as its peers'. `whole`: the run has more
  /// than its facts.
  std::vector<Verdict> verdicts_of(const NodeJudgement& node, const PeerRound& round, const Kind& kind,
                                   bool whole) const {
    std::vector<Verdict> out;
    std::set<std::string> told;
    for (Verdict verdict : node.verdicts) {
      told.insert(verdict.metric);
      if (verdict.judge == judge::Judge::physical) {
        // A whole run is judged again, and tells more; of a history there is only the verdict.
        if (!whole) out.push_back(std::move(verdict));
        continue;
      }
      if (verdict.kind == VerdictKind::inconclusive && verdict.change) verdict.kind = VerdictKind::regressed;
      verdict.judge = judge::Judge::baseline;
      out.push_back(std::move(verdict));
    }
    each_value(round, [&](const judge::PeerValue& one) {
      const judge::PeerForm& form = input_.metrics[one.metric];
      const double median = kind.medians[one.metric];
      if (std::isnan(median) || median <= 0 || one.value <= 0 || told.contains(form.key)) return;
      Verdict verdict;
      verdict.kind = VerdictKind::ok;
      verdict.metric = form.key;
      verdict.metric_class = form.metric_class;
      verdict.unit = form.unit;
      verdict.better = form.better;
      verdict.value = one.value;
      verdict.baseline = median;
      verdict.tolerance = judge::peer_tolerance(policy_, form.metric_class, form.key);
      const double step = judge::to_scale(one.value, form.better) - judge::to_scale(median, form.better);
      if (std::abs(step) <= judge::step_of(verdict.tolerance, form.better) / 2)
        out.push_back(std::move(verdict));
    });
    return out;
  }

  const judge::PeersInput& input_;
  const judge::PeersJudgement& judgement_;
  const WholeRun& whole_;
  const judge::Policy& policy_;
  std::unordered_map<std::string, std::map<std::string, const PeerRound*>> rounds_;  ///< by node, then id
  std::vector<std::size_t> wanted_;
  std::map<std::size_t, Kind> kinds_;  ///< by group: those of the wanted nodes
};

}  // namespace

report::CausesOfNodes fleet_causes(const judge::PeersInput& input, const judge::PeersJudgement& judgement,
                                   const WholeRun& whole, const judge::Policy& policy) {
  return Fleet(input, judgement, whole, policy).causes();
}

}  // namespace gpugauge::conductor
