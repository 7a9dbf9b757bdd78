#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "judge/statistics.hpp"
#include "report/fabric.hpp"
#include "report/fleet.hpp"
#include "report/page_data.hpp"
#include "result/json_array.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

/// Each node's runs by id.
using RunsOfNodes = std::map<std::string, std::map<std::string, const judge::PeerRound*>>;

RunsOfNodes runs_of(const judge::PeersInput& input) {
  RunsOfNodes out;
  for (const judge::PeerRound& round : input.rounds) out[round.node].emplace(round.id, &round);
  return out;
}

/// The metrics that the page shows: those that count on at least one node.
class Shown {
 public:
  Shown(const judge::PeersInput& input, const judge::Policy& policy) : input_(input), policy_(policy) {
    places_.reserve(input.metrics.size());
    for (const judge::PeerForm& form : input.metrics) places_.push_back(form.judged ? count_++ : nowhere);
  }

  std::size_t count() const { return count_; }

  /// The values used to compare a node: per metric the first one among its runs in the group.
  std::map<std::size_t, double> first_values(const judge::NodeJudgement& node,
                                             const RunsOfNodes& runs) const {
    std::map<std::size_t, double> out;
    const auto& of_node = runs.at(node.node);
    for (const std::string& id : node.group_runs)
      for (const judge::PeerValue& one : of_node.at(id)->values)
        if (places_[one.metric] != nowhere) out.emplace(places_[one.metric], one.value);
    return out;
  }

  ordered_json metrics() const {
    ordered_json out = ordered_json::array();
    for (const judge::PeerForm& form : input_.metrics)
      if (form.judged)
        out.push_back(
            {{"key", form.key},
             {"class", form.metric_class},
             {"unit", form.unit},
             {"better", to_string(form.better)},
             {"tolerance", six_digits(judge::peer_tolerance(policy_, form.metric_class, form.key))}});
    return out;
  }

 private:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  const judge::PeersInput& input_;
  const judge::Policy& policy_;
  std::vector<std::size_t> places_;  ///< indexed by form
  std::size_t count_ = 0;
};

ordered_json peer_verdict_json(const judge::Verdict& verdict) {
  ordered_json out{
      {"metric", verdict.metric}, {"verdict", to_string(verdict.kind)}, {"reason", verdict.reason}};
  if (verdict.change) out["change"] = six_digits(*verdict.change);
  if (verdict.advisory) out["advisory"] = true;
  return out;
}

}  // namespace

ordered_json page_data(const FleetReport& fleet) {
  const RunsOfNodes runs = runs_of(fleet.input);
  const Shown shown(fleet.input, fleet.policy);
  const std::size_t metrics = shown.count();
  // Centres are medians over a group's nodes, as in the judgement.
  std::vector<std::vector<std::vector<double>>> of_group(fleet.judgement.groups.size(),
                                                         std::vector<std::vector<double>>(metrics));
  ordered_json nodes = ordered_json::array();
  for (std::size_t n = 0; n < fleet.judgement.nodes.size(); ++n) {
    const judge::NodeJudgement& node = fleet.judgement.nodes[n];
    const auto found = fleet.causes.find(n);
    const bool unexplained = node.state == judge::NodeState::found && found != fleet.causes.end() &&
                             found->second.diagnosis.state == diagnose::State::unknown;
    ordered_json verdicts = result::array_of(node.verdicts, peer_verdict_json);
    ordered_json values = ordered_json::array();
    const bool read = node.state != judge::NodeState::unread && runs.contains(node.node);
    if (read) {
      values = std::vector<std::nullptr_t>(metrics);
      for (const auto& [metric, value] : shown.first_values(node, runs)) {
        values[metric] = six_digits(value);
        of_group[node.group][metric].push_back(value);
      }
    }
    nodes.push_back({{"label", node.label},
                     {"node", node.node},
                     {"host", node.host},
                     {"device", node.device},
                     {"state", to_string(node.state)},
                     {"runs", node.rounds},
                     {"again", node.measure_again},
                     {"reason", node.reason},
                     {"group", read ? ordered_json(node.group) : ordered_json(nullptr)},
                     {"verdicts", std::move(verdicts)},
                     {"findings", found == fleet.causes.end() ? ordered_json::array()
                                                              : page_findings(found->second.diagnosis)},
                     {"diagnosis", unexplained ? found->second.diagnosis.sentence : ""},
                     {"values", std::move(values)}});
  }
  ordered_json groups = ordered_json::array();
  for (std::size_t g = 0; g < fleet.judgement.groups.size(); ++g) {
    const judge::PeerGroup& group = fleet.judgement.groups[g];
    ordered_json centres = ordered_json::array();
    for (const std::vector<double>& values : of_group[g])
      centres.push_back(values.empty() ? ordered_json(nullptr)
                                       : ordered_json(six_digits(judge::median(values))));
    groups.push_back({{"description", group.description},
                      {"nodes", group.nodes},
                      {"counted", group.counted},
                      {"metrics", group.metrics},
                      {"judged", group.judged},
                      {"centres", std::move(centres)}});
  }
  ordered_json fabrics = result::array_of(fleet.judgement.fabrics, json_of);
  ordered_json drift = ordered_json::array();
  for (const judge::DriftedFact& fact : fleet.judgement.drift) drift.push_back(drift_line(fact));
  return {{"kind", "fleet"},
          {"outcome", page_outcome(fleet.judgement.outcome)},
          {"remarks", fleet.judgement.remarks},
          {"drift", std::move(drift)},
          {"not_compared", fleet.judgement.metrics_not_judged},
          {"groups", std::move(groups)},
          {"metrics", shown.metrics()},
          {"nodes", std::move(nodes)},
          {"fabrics", std::move(fabrics)}};
}

}  // namespace gpugauge::report
