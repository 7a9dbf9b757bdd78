#include "judge/peers_outcome.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/reasons.hpp"
#include "result/counted.hpp"

namespace gpugauge::judge {
namespace {

/// What the nodes that were measured together come to: a sentence's parts.
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

/// ", on 1 of 3 nodes"; nothing where machines are not counted apart.
std::string hosts_found(const PeersJudgement& judgement) {
  if (!several_a_host(judgement)) return "";
  const auto found = std::count_if(judgement.hosts.begin(), judgement.hosts.end(),
                                   [](const HostJudgement& host) { return host.state == NodeState::found; });
  return fmt::format(", on {} of {}", found, result::counted(judgement.hosts.size(), "node"));
}

/// " on 3 nodes"; likewise.
std::string hosts_in_all(const PeersJudgement& judgement) {
  if (!several_a_host(judgement)) return "";
  return " on " + result::counted(judgement.hosts.size(), "node");
}

}  // namespace

Outcome outcome_of(const PeersJudgement& judgement, const DeviceCount& count_of_all, bool strict) {
  const FabricOutcome fabric(judgement.fabrics);
  const std::vector<NodeJudgement>& nodes = judgement.nodes;
  std::map<NodeState, std::vector<std::string>> by_state;
  for (const NodeJudgement& node : nodes) by_state[node.state].push_back(node.label);
  const auto count = [&](NodeState state) { return by_state[state].size(); };
  const auto some = [&](NodeState state) { return some_of(by_state[state]); };
  int runs = 0;
  std::vector<std::string> partly;
  for (const NodeJudgement& node : nodes) {
    runs += node.runs_not_judged;
    if (node.runs_not_judged > 0) partly.push_back(node.label);
  }
  std::vector<std::string> also;
  std::vector<std::string> again;
  std::vector<std::string> undecided;  // a further run decides nothing
  for (const NodeJudgement& node : nodes)
    if (node.state == NodeState::suspect) (node.measure_again ? again : undecided).push_back(node.label);
  if (!again.empty())
    also.push_back(fmt::format("{} to be measured again ({})", again.size(), some_of(again)));
  if (!undecided.empty())
    also.push_back(fmt::format("{} in doubt ({})", undecided.size(), some_of(undecided)));
  if (count(NodeState::unread) > 0)
    also.push_back(
        fmt::format("{} could not be read ({})", count(NodeState::unread), some(NodeState::unread)));
  if (count(NodeState::not_judged) > 0)
    also.push_back(
        fmt::format("{} not judged ({})", count(NodeState::not_judged), some(NodeState::not_judged)));
  if (runs > 0)
    also.push_back(fmt::format("{} not judged ({})", result::counted(static_cast<std::size_t>(runs), "run"),
                               some_of(partly)));
  const std::size_t metrics = judgement.metrics_open;
  if (metrics > 0)
    also.push_back(fmt::format("{} that half of them or more measure could not be compared",
                               result::counted(metrics, "metric")));
  if (!fabric.undecided.empty())
    also.push_back(fmt::format("between nodes undecided: {}", some_of(fabric.undecided)));
  if (fabric.not_judged > 0)
    also.push_back(fmt::format("{} of {} metrics between nodes could not be compared", fabric.not_judged,
                               fabric.judged + fabric.not_judged));
  const std::string tail = also.empty() ? "" : fmt::format("; {}", fmt::join(also, "; "));
  std::vector<std::string> found;
  if (count(NodeState::found) > 0)
    found.push_back(fmt::format("{} of {} {} have a finding{} ({})", count(NodeState::found), nodes.size(),
                                count_of_all.many, hosts_found(judgement), some(NodeState::found)));
  if (!fabric.found.empty()) found.push_back(fmt::format("between nodes: {}", some_of(fabric.found)));
  if (!found.empty()) return {ExitCode::regressed, fmt::format("{}{}", fmt::join(found, "; "), tail)};
  if (nodes.empty() && fabric.judged + fabric.not_judged == 0)
    return {ExitCode::cannot_judge,
            "cannot judge: no run was found; name run files, or a night of which the store has runs"};
  std::vector<std::string> well;
  if (!nodes.empty())
    well.push_back(fmt::format(
        "{} of {} {}{} {}", count(NodeState::healthy), nodes.size(), count_of_all.noun(nodes.size()),
        hosts_in_all(judgement),
        count(NodeState::healthy) == 1 || nodes.size() == 1 ? "is like its peers" : "are like their peers"));
  if (fabric.judged > 0)
    well.push_back(fmt::format("{} between nodes show{} no slow node and no slow path",
                               result::counted(fabric.judged, "metric"), fabric.judged == 1 ? "s" : ""));
  const std::string held = well.empty() ? tail.substr(2) : fmt::format("{}{}", fmt::join(well, "; "), tail);
  if (count(NodeState::unread) + count(NodeState::not_judged) + fabric.not_judged > 0)
    return {ExitCode::cannot_judge, "cannot judge all nodes: " + held};
  if (runs > 0) return {ExitCode::cannot_judge, "cannot judge all runs: " + held};
  if (metrics > 0) return {ExitCode::cannot_judge, fmt::format("cannot judge all metrics: {}", held)};
  if (strict && count(NodeState::suspect) + fabric.undecided.size() > 0)
    return {ExitCode::inconclusive, "inconclusive: " + held};
  const bool suspects = count(NodeState::suspect) > 0;
  return {ExitCode::pass, (suspects ? "pass so far: " : "pass: ") + held, !suspects};
}

}  // namespace gpugauge::judge
