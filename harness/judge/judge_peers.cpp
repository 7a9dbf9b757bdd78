#include "judge/judge_peers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "judge/peer_group.hpp"

namespace gpugauge::judge {
namespace {

/// The runs of one node, oldest first.
struct Node {
  std::vector<const PeerRound*> rounds;
};

using Nodes = std::vector<Node>;

Nodes nodes_of(const std::vector<PeerRound>& rounds, std::vector<std::string>& remarks) {
  std::map<std::string, Node> by_name;
  for (const PeerRound& round : rounds) by_name[round.node].rounds.push_back(&round);
  Nodes out;
  for (auto& [name, node] : by_name) {
    std::sort(node.rounds.begin(), node.rounds.end(), [](const PeerRound* a, const PeerRound* b) {
      return std::pair(a->id, a->file) < std::pair(b->id, b->file);
    });
    const auto twice = std::unique(node.rounds.begin(), node.rounds.end(),
                                   [](const PeerRound* a, const PeerRound* b) { return a->id == b->id; });
    if (twice != node.rounds.end()) {
      remarks.push_back(fmt::format("{} was given {} times: one run cannot confirm itself.",
                                    node.rounds.front()->file, 1 + (node.rounds.end() - twice)));
      node.rounds.erase(twice, node.rounds.end());
    }
    out.push_back(std::move(node));
  }
  return out;
}

/// Nodes by kind; within a kind, those whose sources differ from what most have stand apart.
std::vector<std::vector<const Node*>> kinds_of(const Nodes& nodes) {
  std::map<std::string, std::map<std::string, std::map<std::string, int>>> hashes;
  for (const Node& node : nodes)
    for (const auto& [family, hash] : node.rounds.front()->source_hashes)
      ++hashes[node.rounds.front()->kind][family][hash];
  std::map<std::string, std::vector<const Node*>> groups;
  for (const Node& node : nodes) {
    const PeerRound& first = *node.rounds.front();
    std::string name = first.kind;
    for (const auto& [family, hash] : first.source_hashes) {
      const auto& found = hashes.at(first.kind).at(family);
      const auto most = std::max_element(found.begin(), found.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most->first != hash) name += fmt::format(" {}={}", family, hash);
    }
    groups[name].push_back(&node);
  }
  std::vector<std::vector<const Node*>> out;
  out.reserve(groups.size());
  for (auto& [name, group] : groups) out.push_back(std::move(group));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return out;
}

std::string fact(const result::Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

std::string describe(const std::vector<const Node*>& group, const std::vector<const Node*>& largest) {
  const PeerRound& first = *group.front()->rounds.front();
  const PeerRound& usual = *largest.front()->rounds.front();
  std::string text;
  if (first.device == "host") {
    text = fact(first.fingerprint->device, "host.cpu_model");
  } else {
    text = fact(first.fingerprint->device, "gpu.0.name");
    if (const std::string driver = fact(first.fingerprint->stack, "driver.version"); !driver.empty())
      text += ", driver " + driver;
  }
  if (text.empty()) text = "nodes of one kind";
  if (&group == &largest) return text;
  std::vector<std::string> different;
  for (const baseline::Mismatch& field : baseline::mismatches(*first.fingerprint, *usual.fingerprint))
    different.push_back(fmt::format("{} is '{}' here and '{}' there", field.field, field.now, field.then));
  if (first.source_hashes != usual.source_hashes && different.empty())
    different.emplace_back("the sources of a family differ");
  if (different.empty()) return text;
  constexpr std::size_t shown = 3;
  const std::size_t more = different.size() > shown ? different.size() - shown : 0;
  different.resize(different.size() - more);
  return fmt::format("{}; against the largest group: {}{}", text, fmt::join(different, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Order of gravity, for the list and for a node's state.
bool grave(const Verdict& verdict) {
  return verdict.kind == VerdictKind::failed || verdict.kind == VerdictKind::missing ||
         verdict.kind == VerdictKind::regressed;
}

NodeJudgement judgement_of(const Node& node, const PeerGroupResult* result, std::size_t index) {
  const PeerRound& first = *node.rounds.front();
  NodeJudgement out;
  out.node = first.node;
  out.label = first.label;
  out.device = first.device;
  out.rounds = static_cast<int>(node.rounds.size());
  for (const PeerRound* round : node.rounds) out.files.push_back(round->file);
  if (result != nullptr) {
    out.verdicts = result->verdicts[index];
    out.measure_again = result->again[index];
  } else {
    add_failures(node.rounds, out.verdicts);
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
  const Nodes nodes = nodes_of(input.rounds, out.remarks);
  const std::vector<std::vector<const Node*>> kinds = kinds_of(nodes);
  for (const std::vector<const Node*>& kind : kinds) {
    PeerGroup group;
    group.description = describe(kind, kinds.front());
    group.nodes = kind.size();
    group.judged = static_cast<int>(kind.size()) >= rules.minimum_nodes;
    std::optional<PeerGroupResult> result;
    if (group.judged) {
      std::vector<PeerRounds> rounds;
      rounds.reserve(kind.size());
      for (const Node* node : kind) rounds.push_back(node->rounds);
      result = judge_group(rounds, input.metrics, policy, rules);
      group.metrics = result->judged;
      out.metrics_not_judged.insert(out.metrics_not_judged.end(), result->not_judged.begin(),
                                    result->not_judged.end());
    }
    for (std::size_t n = 0; n < kind.size(); ++n) {
      NodeJudgement made = judgement_of(*kind[n], result ? &*result : nullptr, n);
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
