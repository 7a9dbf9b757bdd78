// Judges a fleet kind by kind and combines the results per device and machine.
#include "judge/judge_peers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/peer_faults.hpp"
#include "judge/peer_group.hpp"
#include "judge/peer_hosts.hpp"
#include "judge/peer_kinds.hpp"
#include "judge/peers_outcome.hpp"
#include "judge/reasons.hpp"
#include "result/counted.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {
namespace {

/// Remarks on checksums: how many were compared, and which were not.
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

/// Machines with their devices; empty if the machine of any device is not known.
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
    const bool read = nodes[n].rounds > 0;
    if (!read && nodes[n].host.empty()) continue;  // the owner of that file is not known
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

/// Remarks if many peers share a machine: a fault common to its GPUs is then less visible. `unlike`: the
/// devices that are unlike their peers.
void add_shared_remarks(const PeerKind& kind, const DeviceCount& count, const std::set<std::string>& unlike,
                        std::vector<std::string>& remarks) {
  if (!count.shared()) return;
  const auto machines = machines_of(kind);
  const std::string described = describe(*kind.front().front());
  const auto stands_out = [&](std::size_t d) { return unlike.contains(kind[d].front()->node); };
  std::map<std::size_t, std::vector<std::size_t>> held;
  for (std::size_t d = 0; d < kind.size(); ++d) held[machines[d].value()].push_back(d);
  for (const auto& [machine, devices] : held) {
    const std::string name = host_of(kind[devices.front()]);
    const std::string called = name.empty() ? "" : fmt::format(" ({})", name);
    if (devices.size() == kind.size())
      remarks.push_back(fmt::format(
          "All {} {} ({}) are in one node{}, with one driver, cooling and power supply: one that is unlike "
          "the others shows, what slows the whole node does not; for that compare it with a baseline of "
          "its own (`gpugauge check`).",
          kind.size(), count.many, described, called));
    else if (2 * devices.size() >= kind.size())
      remarks.push_back(fmt::format(
          "{} of {} {} ({}) are in one node{}: what slows that node as a whole moves the median, too, and "
          "shows little or not at all.",
          devices.size(), kind.size(), count.many, described, called));
    if (devices.size() > 1 && devices.size() < kind.size() &&
        std::all_of(devices.begin(), devices.end(), stands_out))
      remarks.push_back(fmt::format(
          "All {} {} ({}) of one node{} stand out: look first at what they share, that is driver, cooling, "
          "power supply and processors.",
          devices.size(), count.many, described, called));
  }
}

/// Judges kind by kind; each kind adds to the devices that have a run of it.
class Judging {
 public:
  Judging(const PeersInput& input, const Policy& policy, const PeerRules& rules)
      : input_(input),
        policy_(policy),
        rules_(rules),
        devices_(nodes_of(input.rounds, out_.remarks)),
        kinds_(kinds_of(devices_)) {}

  PeersJudgement made(bool strict) && {
    add_cut_short();
    if (std::string silent = health_not_told(input_.rounds); !silent.empty())
      out_.remarks.push_back(std::move(silent));
    for (const PeerRounds& device : devices_) add_device(device);
    for (const PeerKind& kind : kinds_) judge(kind);
    std::set<std::string> unlike;
    for (NodeJudgement& node : out_.nodes) {
      finish(node);
      // A GPU's health is its own, and no likeness.
      if (std::any_of(node.verdicts.begin(), node.verdicts.end(), [](const Verdict& verdict) {
            return verdict.judge == Judge::peers && !verdict.advisory;
          }))
        unlike.insert(node.node);
    }
    add_advisory();
    for (const auto& [kind, why] : not_judged_) add_not_judged(kinds_[kind], why);
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (out_.groups[k].judged) add_shared_remarks(kinds_[k], count_of(kinds_[k]), unlike, out_.remarks);
    std::move(checksums_).finish(out_.remarks);
    add_unread();
    add_not_measured();
    std::stable_sort(out_.nodes.begin(), out_.nodes.end(),
                     [](const NodeJudgement& a, const NodeJudgement& b) {
                       return std::tie(a.state, a.label, a.node) < std::tie(b.state, b.label, b.node);
                     });
    out_.hosts = hosts_of(out_.nodes, devices_);
    for (const FabricInput& fabric : input_.fabrics) out_.fabrics.push_back(judge_fabric(fabric));
    out_.outcome = outcome_of(out_, count_of(devices_), strict);
    return std::move(out_);
  }

 private:
  void add_cut_short() {
    std::vector<std::string> cut;
    for (const PeerRound& round : input_.rounds)
      if (!round.complete) cut.push_back(round.label);
    if (!cut.empty())
      out_.remarks.push_back(fmt::format("{} ended early ({}): what was not measured there was not compared.",
                                         result::counted(cut.size(), "run"), some_of(cut)));
  }

  void add_device(const PeerRounds& device) {
    const PeerRound& first = *device.front();
    NodeJudgement made;
    made.node = first.node;
    made.label = first.label;
    made.device = first.device;
    made.host = host_of(device);
    made.rounds = static_cast<int>(device.size());
    for (const PeerRound* round : device) made.files.push_back(round->file);
    made.state = NodeState::not_judged;
    made.verdicts = health_of(device);
    places_.emplace(made.node, out_.nodes.size());
    out_.nodes.push_back(std::move(made));
  }

  void judge(const PeerKind& kind) {
    PeerGroup group;
    group.description = describe(kind, kinds_.front());
    const DeviceCount count = count_of(kind);
    group.nodes = count.devices;
    group.hosts = count.machines;
    group.counted = in_words(count);
    std::string why;  // why it is not judged
    PeerGroupResult result;
    if (static_cast<int>(kind.size()) >= rules_.minimum_nodes) {
      result = judge_group(kind, input_.metrics, policy_, rules_);
      group.metrics = result.judged;
      const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& what) {
        to.insert(to.end(), what.begin(), what.end());
      };
      for (const NotCompared& one : result.not_judged) {
        out_.metrics_not_judged.push_back(one.sentence);
        out_.metrics_open += one.counts ? 1 : 0;
      }
      add(out_.remarks, result.unmeasured);
      if (!result.compared())
        why = fmt::format("no metric was measured by more than half of {}, and by {} or more: {}",
                          group.counted, rules_.fewest_values, group.description);
    } else {
      result.verdicts.resize(kind.size());
      result.again.resize(kind.size(), false);
      result.compared_of.resize(kind.size(), 0);
      for (std::size_t n = 0; n < kind.size(); ++n) add_failures(kind[n], result.verdicts[n]);
      why = fmt::format("{} {} of its kind, and {} are needed: {}", kind.size(), count.noun(kind.size()),
                        rules_.minimum_nodes, group.description);
    }
    group.judged = why.empty();
    if (!group.judged) not_judged_.emplace_back(out_.groups.size(), why);
    const ChecksumComparison compared = compare_node_checksums(kind);
    checksums_.add(compared, describe(*kind.front().front()));
    for (std::size_t n = 0; n < kind.size(); ++n) {
      add(result.verdicts[n], group.description, kind[n]);
      add(compared.verdicts[n], group.description, kind[n]);
      NodeJudgement& node = of(kind[n]);
      node.measure_again = node.measure_again || result.again[n] || compared.again[n];
      if (group.judged && result.compared_of[n] == 0)
        place(kind[n], false,
              fmt::format("it measured none of the {} that are compared: {}",
                          result::counted(result.judged, "metric"), group.description),
              node);
      else
        place(kind[n], group.judged, why, node);
    }
    out_.groups.push_back(std::move(group));
  }

  NodeJudgement& of(const PeerRounds& runs) { return out_.nodes[places_.at(runs.front()->node)]; }

  /// If a device did several kinds of work, verdicts name the kind.
  void add(std::vector<Verdict> verdicts, const std::string& description, const PeerRounds& runs) {
    NodeJudgement& node = of(runs);
    for (Verdict& verdict : verdicts) {
      if (runs.size() < static_cast<std::size_t>(node.rounds))
        verdict.reason += fmt::format(" ({})", description);
      node.verdicts.push_back(std::move(verdict));
    }
  }

  /// Sets the kind that a device is listed in, and the runs that were not judged.
  void place(const PeerRounds& runs, bool judged, const std::string& why, NodeJudgement& node) {
    const bool before = node.state != NodeState::not_judged;
    if (!judged) {
      node.runs_not_judged += static_cast<int>(runs.size());
      if (node.reason.empty()) node.reason = why;
    }
    if (!node.group_runs.empty() && (before || !judged)) return;
    if (judged) node.state = NodeState::healthy;
    node.group = out_.groups.size();
    node.group_runs.clear();
    for (const PeerRound* round : runs) node.group_runs.push_back(round->id);
  }

  void finish(NodeJudgement& node) {
    std::stable_sort(node.verdicts.begin(), node.verdicts.end(), [](const Verdict& a, const Verdict& b) {
      if (a.advisory != b.advisory) return b.advisory;
      if (grave(a) != grave(b)) return grave(a);
      return a.change.value_or(1) > b.change.value_or(1);
    });
    const bool counts = !node.verdicts.empty() && !node.verdicts.front().advisory;
    if (node.state == NodeState::not_judged) {
      node.runs_not_judged = 0;  // the node is reported as not judged, and counts
    } else {
      if (counts) node.state = NodeState::suspect;
      if (node.runs_not_judged > 0)
        node.reason = fmt::format("{} of its {} runs {} not judged: {}", node.runs_not_judged, node.rounds,
                                  node.runs_not_judged == 1 ? "was" : "were", node.reason);
    }
    if (counts && grave(node.verdicts.front())) node.state = NodeState::found;
  }

  /// Adds how much the policy excuses.
  void add_advisory() {
    std::size_t number = 0;
    std::vector<std::string> labels;
    for (const NodeJudgement& node : out_.nodes) {
      const auto here = std::count_if(node.verdicts.begin(), node.verdicts.end(),
                                      [](const Verdict& verdict) { return verdict.advisory; });
      if (here > 0) labels.push_back(node.label);
      number += static_cast<std::size_t>(here);
    }
    if (number > 0)
      out_.remarks.push_back(fmt::format("{} ({}) {} advisory by the policy: reported, and not counted.",
                                         result::counted(number, "verdict"), some_of(labels),
                                         number == 1 ? "is" : "are"));
  }

  /// Adds runs of a kind that was not judged, on nodes judged by other runs.
  void add_not_judged(const PeerKind& kind, const std::string& why) {
    std::size_t number = 0;
    std::vector<std::string> labels;
    for (const PeerRounds& runs : kind) {
      const NodeJudgement& node = of(runs);
      if (node.runs_not_judged == 0) continue;
      number += runs.size();
      labels.push_back(node.label);
    }
    if (number > 0)
      out_.remarks.push_back(fmt::format("{} ({}) {} not judged: {}.", result::counted(number, "run"),
                                         some_of(labels), number == 1 ? "was" : "were", why));
  }

  void add_unread() {
    for (const UnreadFile& file : input_.unread) {
      NodeJudgement made;
      made.node = made.label = file.label;
      made.host = file.host;
      made.files = {file.file};
      made.state = NodeState::unread;
      made.reason = "could not be read: " + file.reason;
      made.measure_again = true;
      out_.nodes.push_back(std::move(made));
    }
  }

  void add_not_measured() {
    for (const PeerRound& round : input_.not_measured) {
      NodeJudgement made;
      made.node = round.node;
      made.label = round.label;
      made.device = round.device;
      made.host = round.host;
      made.state = NodeState::not_judged;
      made.reason = round.started ? fmt::format("was measured on {}, and has no run among these",
                                                result::day_of(result::utc_text(*round.started)))
                                  : "was measured before these runs, and has none among them";
      out_.nodes.push_back(std::move(made));
    }
  }

  const PeersInput& input_;
  const Policy& policy_;
  const PeerRules& rules_;
  PeersJudgement out_;
  const std::vector<PeerRounds> devices_;
  const std::vector<PeerKind> kinds_;
  std::map<std::string, std::size_t> places_;                    ///< indices of devices in out_.nodes
  std::vector<std::pair<std::size_t, std::string>> not_judged_;  ///< kinds, and why
  ChecksumRemarks checksums_;
};

}  // namespace

bool several_a_host(const PeersJudgement& judgement) {
  return std::any_of(judgement.hosts.begin(), judgement.hosts.end(), [&](const HostJudgement& host) {
    return std::count_if(host.nodes.begin(), host.nodes.end(),
                         [&](std::size_t node) { return judgement.nodes[node].rounds > 0; }) > 1;
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
  return Judging(input, policy, rules).made(strict);
}

}  // namespace gpugauge::judge
