#include "judge/judge_peers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/peer_group.hpp"
#include "judge/peer_hosts.hpp"
#include "judge/peer_kinds.hpp"
#include "judge/reasons.hpp"
#include "result/counted.hpp"

namespace gpugauge::judge {
namespace {

NodeJudgement judgement_of(const PeerRounds& node, const PeerGroupResult* result, std::size_t index,
                           const ChecksumComparison& checksums) {
  const PeerRound& first = *node.front();
  NodeJudgement out;
  out.node = first.node;
  out.label = first.label;
  out.device = first.device;
  out.host = host_of(node);
  out.rounds = static_cast<int>(node.size());
  for (const PeerRound* round : node) out.files.push_back(round->file);
  if (result != nullptr) {
    out.verdicts = result->verdicts[index];
    out.measure_again = result->again[index];
  } else {
    add_failures(node, out.verdicts);
  }
  out.verdicts.insert(out.verdicts.end(), checksums.verdicts[index].begin(), checksums.verdicts[index].end());
  out.measure_again = out.measure_again || checksums.again[index];
  std::stable_sort(out.verdicts.begin(), out.verdicts.end(), [](const Verdict& a, const Verdict& b) {
    if (grave(a) != grave(b)) return grave(a);
    return a.change.value_or(1) > b.change.value_or(1);
  });
  if (!out.verdicts.empty()) out.state = grave(out.verdicts.front()) ? NodeState::found : NodeState::suspect;
  return out;
}

/// What is said of checksums as a whole: how many were compared, and what was not.
class ChecksumRemarks {
 public:
  void add(const ChecksumComparison& compared, const std::string& kind) {
    if (compared.gpus == 0) return;
    ++kinds_;
    if (compared.gpus < 2)
      lines_.push_back(
          fmt::format("Checksums: one GPU alone has them ({}): nothing to compare them with.", kind));
    else if (compared.benchmarks > 0)
      lines_.push_back(fmt::format("Checksums: {} of {} benchmarks are the same bit for bit on {} GPUs ({}).",
                                   compared.agreeing, compared.benchmarks, compared.gpus, kind));
    if (compared.apart > 0)
      lines_.push_back(fmt::format(
          "Checksums: {} of these GPUs ({}) {} not compared with them: another driver, library or build may "
          "round differently.",
          result::counted(compared.apart, "further run"), kind, compared.apart == 1 ? "is" : "are"));
    lines_.insert(lines_.end(), compared.remarks.begin(), compared.remarks.end());
  }
  void finish(std::vector<std::string>& remarks) && {
    if (kinds_ > 1)
      lines_.push_back(
          "Checksums are compared within each kind, not between kinds: another GPU model, driver, library or "
          "build may round differently.");
    remarks.insert(remarks.end(), lines_.begin(), lines_.end());
  }

 private:
  std::size_t kinds_ = 0;
  std::vector<std::string> lines_;
};

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

/// Machines with their devices; none where a device's is not known.
std::vector<HostJudgement> hosts_of(const std::vector<NodeJudgement>& nodes,
                                    const std::vector<PeerRounds>& devices) {
  const auto machines = machines_of(devices);
  std::map<std::size_t, std::string> names;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (!machines[d]) return {};
    if (std::string& name = names[*machines[d]]; name.empty()) name = host_of(devices[d]);
  }
  std::map<std::string, std::size_t> machine_of;  // by device
  for (std::size_t d = 0; d < devices.size(); ++d) machine_of[devices[d].front()->node] = machines[d].value();
  std::vector<HostJudgement> out;
  std::map<std::string, std::size_t> places;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const bool read = nodes[n].state != NodeState::unread;
    if (!read && nodes[n].host.empty()) continue;  // whose file that was, nobody knows
    const std::string name = read ? names.at(machine_of.at(nodes[n].node)) : nodes[n].host;
    const std::string machine =
        name.empty() ? fmt::format("machine {}", machine_of.at(nodes[n].node)) : "host " + name;
    const auto [place, added] = places.try_emplace(machine, out.size());
    if (added) out.push_back({name, nodes[n].state, false, {}});
    HostJudgement& host = out[place->second];
    host.state = std::min(host.state, nodes[n].state);
    host.measure_again = host.measure_again || nodes[n].measure_again;
    host.nodes.push_back(n);
  }
  return out;
}

/// What a machine's GPUs have in common shows less among peers of which many share it. The devices of `kind`
/// are the last in `out`.
void add_shared_remarks(const PeerKind& kind, const DeviceCount& count, PeersJudgement& out) {
  if (!count.shared()) return;
  const auto machines = machines_of(kind);
  const std::string described = describe(*kind.front().front());
  const std::size_t first = out.nodes.size() - kind.size();
  const auto stands_out = [&](std::size_t d) {
    const NodeState state = out.nodes[first + d].state;
    return state == NodeState::found || state == NodeState::suspect;
  };
  std::map<std::size_t, std::vector<std::size_t>> held;
  for (std::size_t d = 0; d < kind.size(); ++d) held[machines[d].value()].push_back(d);
  for (const auto& [machine, devices] : held) {
    const std::string name = host_of(kind[devices.front()]);
    const std::string called = name.empty() ? "" : fmt::format(" ({})", name);
    if (devices.size() == kind.size())
      out.remarks.push_back(fmt::format(
          "All {} {} ({}) are in one node{}, with one driver, cooling and power supply: one that is unlike "
          "the others shows, what slows the whole node does not; for that compare it with a baseline of "
          "its own (`gpugauge check`).",
          kind.size(), count.many, described, called));
    else if (2 * devices.size() >= kind.size())
      out.remarks.push_back(fmt::format(
          "{} of {} {} ({}) are in one node{}: what slows that node as a whole moves the median, too, and "
          "shows little or not at all.",
          devices.size(), kind.size(), count.many, described, called));
    if (devices.size() > 1 && devices.size() < kind.size() &&
        std::all_of(devices.begin(), devices.end(), stands_out))
      out.remarks.push_back(fmt::format(
          "All {} {} ({}) of one node{} stand out: look first at what they share, that is driver, cooling, "
          "power supply and processors.",
          devices.size(), count.many, described, called));
  }
}

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

Outcome outcome_of(const PeersJudgement& judgement, const DeviceCount& count_of_all,
                   const FabricOutcome& fabric, bool strict) {
  const std::vector<NodeJudgement>& nodes = judgement.nodes;
  std::map<NodeState, std::vector<std::string>> by_state;
  for (const NodeJudgement& node : nodes) by_state[node.state].push_back(node.label);
  const auto count = [&](NodeState state) { return by_state[state].size(); };
  const auto some = [&](NodeState state) { return some_of(by_state[state]); };
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
    return {ExitCode::cannot_judge, "cannot judge: no run file was found"};
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
  if (strict && count(NodeState::suspect) + fabric.undecided.size() > 0)
    return {ExitCode::inconclusive, "inconclusive: " + held};
  return {ExitCode::pass, (count(NodeState::suspect) > 0 ? "pass so far: " : "pass: ") + held};
}

}  // namespace

bool several_a_host(const PeersJudgement& judgement) {
  return std::any_of(judgement.hosts.begin(), judgement.hosts.end(), [&](const HostJudgement& host) {
    return std::count_if(host.nodes.begin(), host.nodes.end(), [&](std::size_t node) {
             return judgement.nodes[node].state != NodeState::unread;
           }) > 1;
  });
}

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
  const std::vector<PeerRounds> devices = nodes_of(input.rounds, out.remarks);
  std::vector<std::string> cut;
  for (const PeerRound& round : input.rounds)
    if (!round.complete) cut.push_back(round.label);
  if (!cut.empty())
    out.remarks.push_back(fmt::format("{} ended early ({}): what was not measured there was not compared.",
                                      result::counted(cut.size(), "run"), some_of(cut)));
  const DeviceCount count_of_all = count_of(devices);
  const std::vector<PeerKind> kinds = kinds_of(devices);
  ChecksumRemarks checksums;
  for (const PeerKind& kind : kinds) {
    PeerGroup group;
    group.description = describe(kind, kinds.front());
    const DeviceCount count = count_of(kind);
    group.nodes = count.devices;
    group.hosts = count.machines;
    group.counted = in_words(count);
    group.judged = static_cast<int>(kind.size()) >= rules.minimum_nodes;
    std::optional<PeerGroupResult> result;
    if (group.judged) {
      result = judge_group(kind, input.metrics, policy, rules);
      group.metrics = result->judged;
      out.metrics_not_judged.insert(out.metrics_not_judged.end(), result->not_judged.begin(),
                                    result->not_judged.end());
    }
    const ChecksumComparison compared = compare_node_checksums(kind);
    checksums.add(compared, describe(*kind.front().front()));
    for (std::size_t n = 0; n < kind.size(); ++n) {
      NodeJudgement made = judgement_of(kind[n], result ? &*result : nullptr, n, compared);
      if (!group.judged) {
        if (made.state != NodeState::found) made.state = NodeState::not_judged;
        made.reason = fmt::format("{} {} of its kind, and {} are needed: {}", kind.size(),
                                  count.noun(kind.size()), rules.minimum_nodes, group.description);
      }
      made.group = out.groups.size();
      out.nodes.push_back(std::move(made));
    }
    if (group.judged) add_shared_remarks(kind, count, out);
    out.groups.push_back(std::move(group));
  }
  std::move(checksums).finish(out.remarks);
  for (const UnreadFile& file : input.unread) {
    NodeJudgement made;
    made.node = made.label = file.label;
    made.host = file.host;
    made.files = {file.file};
    made.state = NodeState::unread;
    made.reason = "could not be read: " + file.reason;
    made.measure_again = true;
    out.nodes.push_back(std::move(made));
  }
  std::stable_sort(out.nodes.begin(), out.nodes.end(), [](const NodeJudgement& a, const NodeJudgement& b) {
    return std::tie(a.state, a.label, a.node) < std::tie(b.state, b.label, b.node);
  });
  out.hosts = hosts_of(out.nodes, devices);
  for (const FabricInput& fabric : input.fabrics) out.fabrics.push_back(judge_fabric(fabric));
  out.outcome = outcome_of(out, count_of_all, FabricOutcome(out.fabrics), strict);
  return out;
}

}  // namespace gpugauge::judge
