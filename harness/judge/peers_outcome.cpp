#include "judge/peers_outcome.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/reasons.hpp"
#include "result/counted.hpp"

namespace gpugauge::judge {
namespace {

/// Sentence parts on the nodes that were measured together.
struct FabricOutcome {
  std::vector<std::string> found;      ///< "slow node node3"
  std::vector<std::string> undecided;  ///< names
  std::size_t judged = 0;
  std::size_t not_judged = 0;

  explicit FabricOutcome(const std::vector<FabricJudgement>& fabrics) {
    const auto once = [](std::vector<std::string>& list, std::string text) {
      if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
    };
    for (const FabricJudgement& fabric : fabrics) {
      ++(fabric.judged ? judged : not_judged);
      for (const FabricFinding& finding : fabric.findings) {
        if (finding.fault == FabricFault::undecided)
          once(undecided, joined(finding.nodes));
        else
          once(found, finding.fault == FabricFault::everything
                          ? std::string(to_string(finding.fault))
                          : fmt::format("{} {}", to_string(finding.fault), joined(finding.nodes)));
      }
    }
  }
};

/// ", on 1 of 3 nodes"; "" if machines are not counted separately.
std::string hosts_found(const PeersJudgement& judgement) {
  if (!several_a_host(judgement)) return "";
  const auto found = std::count_if(judgement.hosts.begin(), judgement.hosts.end(),
                                   [](const HostJudgement& host) { return host.state == NodeState::found; });
  return fmt::format(", on {} of {}", found, result::counted(judgement.hosts.size(), "node"));
}

/// " on 3 nodes"; "" if machines are not counted separately.
std::string hosts_in_all(const PeersJudgement& judgement) {
  if (!several_a_host(judgement)) return "";
  return " on " + result::counted(judgement.hosts.size(), "node");
}

/// The labels of the nodes in each state, and what is left open.
class NodesOutcome {
 public:
  explicit NodesOutcome(const std::vector<NodeJudgement>& nodes) {
    for (const NodeJudgement& node : nodes) {
      by_state_[node.state].push_back(node.label);
      runs_not_judged += static_cast<std::size_t>(node.runs_not_judged);
      if (node.runs_not_judged > 0) partly.push_back(node.label);
      if (node.state == NodeState::suspect) (node.measure_again ? again : undecided).push_back(node.label);
    }
  }
  std::size_t count(NodeState state) const { return of(state).size(); }
  std::string some(NodeState state) const { return some_of(of(state)); }

  std::size_t runs_not_judged = 0;
  std::vector<std::string> partly;     ///< of these, runs were not judged
  std::vector<std::string> again;      ///< suspects that a further run decides
  std::vector<std::string> undecided;  ///< suspects of which a further run would decide nothing

 private:
  const std::vector<std::string>& of(NodeState state) const {
    static const std::vector<std::string> none;
    const auto found = by_state_.find(state);
    return found == by_state_.end() ? none : found->second;
  }
  std::map<NodeState, std::vector<std::string>> by_state_;
};

/// What a verdict on some leaves open, as parts of a sentence.
std::vector<std::string> left_open(const NodesOutcome& nodes, const FabricOutcome& fabric,
                                   std::size_t metrics) {
  std::vector<std::string> out;
  const auto add = [&](std::size_t count, const std::string& what, const std::string& which) {
    if (count > 0) out.push_back(fmt::format("{} {} ({})", count, what, which));
  };
  add(nodes.again.size(), "to be measured again", some_of(nodes.again));
  add(nodes.undecided.size(), "in doubt", some_of(nodes.undecided));
  for (const auto& [state, what] :
       {std::pair{NodeState::unread, "could not be read"}, std::pair{NodeState::not_judged, "not judged"}})
    add(nodes.count(state), what, nodes.some(state));
  if (nodes.runs_not_judged > 0)
    out.push_back(fmt::format("{} not judged ({})", result::counted(nodes.runs_not_judged, "run"),
                              some_of(nodes.partly)));
  if (metrics > 0)
    out.push_back(fmt::format("{} that half of them or more measure could not be compared",
                              result::counted(metrics, "metric")));
  if (!fabric.undecided.empty())
    out.push_back(fmt::format("between nodes undecided: {}", some_of(fabric.undecided)));
  if (fabric.not_judged > 0)
    out.push_back(fmt::format("{} of {} metrics between nodes could not be compared", fabric.not_judged,
                              fabric.judged + fabric.not_judged));
  return out;
}

/// What is like its peers, as parts of a sentence.
std::vector<std::string> found_well(const PeersJudgement& judgement, const NodesOutcome& nodes,
                                    const FabricOutcome& fabric, const DeviceCount& count_of_all) {
  std::vector<std::string> out;
  const std::size_t all = judgement.nodes.size();
  const std::size_t healthy = nodes.count(NodeState::healthy);
  if (all > 0)
    out.push_back(fmt::format("{} of {} {}{} {}", healthy, all, count_of_all.noun(all),
                              hosts_in_all(judgement),
                              healthy == 1 || all == 1 ? "is like its peers" : "are like their peers"));
  if (fabric.judged > 0)
    out.push_back(fmt::format("{} between nodes show{} no slow node and no slow path",
                              result::counted(fabric.judged, "metric"), fabric.judged == 1 ? "s" : ""));
  return out;
}

}  // namespace

Outcome outcome_of(const PeersJudgement& judgement, const DeviceCount& count_of_all, bool strict) {
  const FabricOutcome fabric(judgement.fabrics);
  const NodesOutcome nodes(judgement.nodes);
  const std::size_t metrics = judgement.metrics_open;
  const std::vector<std::string> also = left_open(nodes, fabric, metrics);
  std::vector<std::string> found;
  if (nodes.count(NodeState::found) > 0)
    found.push_back(fmt::format("{} of {} {} {} a finding{} ({})", nodes.count(NodeState::found),
                                judgement.nodes.size(), count_of_all.many,
                                nodes.count(NodeState::found) == 1 ? "has" : "have", hosts_found(judgement),
                                nodes.some(NodeState::found)));
  if (!fabric.found.empty()) found.push_back(fmt::format("between nodes: {}", some_of(fabric.found)));
  if (!found.empty()) {
    found.insert(found.end(), also.begin(), also.end());
    return {ExitCode::regressed, fmt::format("{}", fmt::join(found, "; "))};
  }
  if (judgement.nodes.empty() && fabric.judged + fabric.not_judged == 0)
    return {ExitCode::cannot_judge,
            "cannot judge: no run was found; name run files, or a night of which the store has runs"};
  std::vector<std::string> parts = found_well(judgement, nodes, fabric, count_of_all);
  parts.insert(parts.end(), also.begin(), also.end());
  const std::string held = fmt::format("{}", fmt::join(parts, "; "));
  if (nodes.count(NodeState::unread) + nodes.count(NodeState::not_judged) + fabric.not_judged > 0)
    return {ExitCode::cannot_judge, "cannot judge all nodes: " + held};
  if (nodes.runs_not_judged > 0) return {ExitCode::cannot_judge, "cannot judge all runs: " + held};
  if (metrics > 0) return {ExitCode::cannot_judge, "cannot judge all metrics: " + held};
  const bool suspects = nodes.count(NodeState::suspect) > 0;
  if (strict && (suspects || !fabric.undecided.empty()))
    return {ExitCode::inconclusive, "inconclusive: " + held};
  return {ExitCode::pass, (suspects ? "pass so far: " : "pass: ") + held, !suspects};
}

}  // namespace gpugauge::judge
