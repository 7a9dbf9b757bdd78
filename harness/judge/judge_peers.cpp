#include "judge/judge_peers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/peer_group.hpp"
#include "judge/peer_kinds.hpp"

namespace gpugauge::judge {
namespace {

/// Order of gravity, for the list and for a node's state.
bool grave(const Verdict& verdict) {
  return verdict.kind == VerdictKind::failed || verdict.kind == VerdictKind::missing ||
         verdict.kind == VerdictKind::regressed;
}

NodeJudgement judgement_of(const PeerRounds& node, const PeerGroupResult* result, std::size_t index) {
  const PeerRound& first = *node.front();
  NodeJudgement out;
  out.node = first.node;
  out.label = first.label;
  out.device = first.device;
  out.rounds = static_cast<int>(node.size());
  for (const PeerRound* round : node) out.files.push_back(round->file);
  if (result != nullptr) {
    out.verdicts = result->verdicts[index];
    out.measure_again = result->again[index];
  } else {
    add_failures(node, out.verdicts);
  }
  std::stable_sort(out.verdicts.begin(), out.verdicts.end(), [](const Verdict& a, const Verdict& b) {
    if (grave(a) != grave(b)) return grave(a);
    return a.change.value_or(1) > b.change.value_or(1);
  });
  if (!out.verdicts.empty()) out.state = grave(out.verdicts.front()) ? NodeState::found : NodeState::suspect;
  return out;
}

Outcome outcome_of(const std::vector<NodeJudgement>& nodes, bool strict) {
  std::map<NodeState, std::vector<std::string>> by_state;
  for (const NodeJudgement& node : nodes) by_state[node.state].push_back(node.label);
  const auto count = [&](NodeState state) { return by_state[state].size(); };
  const auto some = [&](NodeState state) {
    constexpr std::size_t shown = 3;
    const std::vector<std::string>& names = by_state[state];
    if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + shown, ", "),
                       names.size() - shown);
  };
  std::vector<std::string> also;
  if (count(NodeState::suspect) > 0)
    also.push_back(
        fmt::format("{} to be measured again ({})", count(NodeState::suspect), some(NodeState::suspect)));
  if (count(NodeState::unread) > 0)
    also.push_back(
        fmt::format("{} could not be read ({})", count(NodeState::unread), some(NodeState::unread)));
  if (count(NodeState::not_judged) > 0)
    also.push_back(
        fmt::format("{} not judged ({})", count(NodeState::not_judged), some(NodeState::not_judged)));
  const std::string tail = also.empty() ? "" : fmt::format("; {}", fmt::join(also, "; "));
  if (count(NodeState::found) > 0)
    return {ExitCode::regressed, fmt::format("{} of {} nodes have a finding ({}){}", count(NodeState::found),
                                             nodes.size(), some(NodeState::found), tail)};
  if (nodes.empty()) return {ExitCode::cannot_judge, "cannot judge: no run file was found"};
  const std::string held =
      fmt::format("{} of {} nodes are like their peers{}", count(NodeState::healthy), nodes.size(), tail);
  if (count(NodeState::unread) + count(NodeState::not_judged) > 0)
    return {ExitCode::cannot_judge, "cannot judge all nodes: " + held};
  if (count(NodeState::suspect) > 0 && strict) return {ExitCode::inconclusive, "inconclusive: " + held};
  return {ExitCode::pass, "pass: " + held};
}

}  // namespace

std::string_view to_string(NodeState state) {
  switch (state) {
    case NodeState::found:
      return "found";
    case NodeState::unread:
      return "unread";
    case NodeState::not_judged:
      return "not judged";
    case NodeState::suspect:
      return "suspect";
    case NodeState::healthy:
      break;
  }
  return "healthy";
}

PeersJudgement judge_peers(const PeersInput& input, const Policy& policy, bool strict,
                           const PeerRules& rules) {
  PeersJudgement out;
  const std::vector<PeerKind> kinds = kinds_of(nodes_of(input.rounds, out.remarks));
  for (const PeerKind& kind : kinds) {
    PeerGroup group;
    group.description = describe(kind, kinds.front());
    group.nodes = kind.size();
    group.judged = static_cast<int>(kind.size()) >= rules.minimum_nodes;
    std::optional<PeerGroupResult> result;
    if (group.judged) {
      result = judge_group(kind, input.metrics, policy, rules);
      group.metrics = result->judged;
      out.metrics_not_judged.insert(out.metrics_not_judged.end(), result->not_judged.begin(),
                                    result->not_judged.end());
    }
    for (std::size_t n = 0; n < kind.size(); ++n) {
      NodeJudgement made = judgement_of(kind[n], result ? &*result : nullptr, n);
      if (!group.judged) {
        if (made.state != NodeState::found) made.state = NodeState::not_judged;
        made.reason = fmt::format("{} node{} of its kind, and {} are needed: {}", kind.size(),
                                  kind.size() == 1 ? "" : "s", rules.minimum_nodes, group.description);
      }
      made.group = out.groups.size();
      out.nodes.push_back(std::move(made));
    }
    out.groups.push_back(std::move(group));
  }
  for (const UnreadFile& file : input.unread) {
    NodeJudgement made;
    made.node = made.label = file.label;
    made.files = {file.file};
    made.state = NodeState::unread;
    made.reason = "could not be read: " + file.reason;
    made.measure_again = true;
    out.nodes.push_back(std::move(made));
  }
  std::stable_sort(out.nodes.begin(), out.nodes.end(), [](const NodeJudgement& a, const NodeJudgement& b) {
    return std::tie(a.state, a.label, a.node) < std::tie(b.state, b.label, b.node);
  });
  out.outcome = outcome_of(out.nodes, strict);
  return out;
}

}  // namespace gpugauge::judge
