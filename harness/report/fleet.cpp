// Writes the comparison of nodes for the terminal and as JSON.
#include "report/fleet.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/diagnosis.hpp"
#include "report/fabric.hpp"
#include "report/format.hpp"
#include "report/json.hpp"
#include "report/peers_json.hpp"
#include "report/table.hpp"
#include "result/build.hpp"
#include "result/counted.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using judge::NodeJudgement;
using judge::NodeState;
using judge::Verdict;
using nlohmann::ordered_json;

Tone tone(NodeState state) {
  switch (state) {
    case NodeState::found:
      return Tone::bad;
    case NodeState::healthy:
      return Tone::good;
    default:
      return Tone::doubt;
  }
}

std::string finding(const NodeJudgement& node) {
  if (node.verdicts.empty()) return node.reason;
  const std::size_t more = node.verdicts.size() - 1;
  const Verdict& first = node.verdicts.front();
  return fmt::format("{}{}", first.metric, more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string draw_table(const std::vector<NodeJudgement>& nodes, const Terminal& terminal, bool every_node) {
  Table table(
      {{"node", false, true}, {"runs", true}, {"verdict"}, {"change", true}, {"finding", false, true}});
  for (const NodeJudgement& node : nodes) {
    if (node.state == NodeState::healthy && !every_node) continue;
    // The change of the metric named beside it.
    const std::optional<double> change = node.verdicts.empty() ? std::nullopt : node.verdicts.front().change;
    table.add({{plain(node.label), Tone::strong},
               {std::to_string(node.rounds)},
               {std::string(to_string(node.state)), tone(node.state)},
               {change ? signed_percent(*change) : "-"},
               {plain(finding(node))}});
  }
  return table.empty() ? "" : table.draw(terminal);
}

/// "1 found, 3 healthy": a machine's devices by state.
std::string states_of(const judge::HostJudgement& host, const std::vector<NodeJudgement>& nodes) {
  std::map<NodeState, std::size_t> counts;
  for (const std::size_t node : host.nodes) ++counts[nodes[node].state];
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, to_string(state)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The machines, if one has several devices. A machine without a name is called after its first device.
std::string draw_hosts(const judge::PeersJudgement& judgement, const Terminal& terminal, bool every_node) {
  if (!several_a_host(judgement)) return "";
  Table table({{"node", false, true}, {"verdict"}, {"its devices", false, true}});
  for (const judge::HostJudgement& host : judgement.hosts) {
    if (host.state == NodeState::healthy && !every_node) continue;
    const std::string& first = judgement.nodes[host.nodes.front()].label;
    table.add({{plain(host.name.empty() ? "that of " + first : host.name), Tone::strong},
               {std::string(to_string(host.state)), tone(host.state)},
               {states_of(host, judgement.nodes)}});
  }
  return table.empty() ? "" : table.draw(terminal);
}

/// What the diagnosis of a node says, as a check's but shorter; "" where there is none.
std::string draw_causes(const CausesOfNodes& causes, std::size_t node, bool confirmed,
                        const Terminal& terminal) {
  constexpr std::size_t most_facts = 2;
  const auto found = causes.find(node);
  if (found == causes.end()) return "";
  const diagnose::Diagnosis& diagnosis = found->second.diagnosis;
  std::string out;
  const auto line = [&](const std::string& text, int indent) {
    out += fmt::format("{:{}}{}\n", "", indent, wrap(plain(text), terminal.width, indent + 2));
  };
  for (const diagnose::Finding& finding : diagnosis.findings) {
    line("cause: " + in_one_line(finding), 4);
    for (std::size_t i = 0; i < std::min(most_facts, finding.evidence.size()); ++i)
      line("seen: " + finding.evidence[i], 6);
    if (!finding.next.empty()) line("next: " + finding.next.front(), 6);
  }
  // A suspect may be none: nothing has to be wrong there.
  if (confirmed && diagnosis.state == diagnose::State::unknown) line(diagnosis.sentence, 4);
  return out;
}

/// One paragraph for each of the first nodes: what stands out, and why.
std::string draw_reasons(const std::vector<NodeJudgement>& nodes, const CausesOfNodes& causes,
                         const Terminal& terminal) {
  constexpr std::size_t most_nodes = 10;
  constexpr std::size_t most_verdicts = 3;
  std::string out;
  for (std::size_t n = 0; n < std::min(most_nodes, nodes.size()); ++n) {
    const NodeJudgement& node = nodes[n];
    if (node.state == NodeState::healthy) break;
    out += fmt::format("  {}  {}\n", terminal.paint(plain(node.label), Tone::strong),
                       terminal.paint(to_string(node.state), tone(node.state)));
    if (!node.reason.empty()) out += "    " + wrap(plain(node.reason), terminal.width, 4) + "\n";
    for (std::size_t i = 0; i < std::min(most_verdicts, node.verdicts.size()); ++i)
      out += "    " +
             wrap(plain(fmt::format("{}: {}: {}", node.verdicts[i].metric, to_string(node.verdicts[i].kind),
                                    node.verdicts[i].reason)),
                  terminal.width, 6) +
             "\n";
    if (node.verdicts.size() > most_verdicts)
      out += fmt::format("    and {} more; the JSON report holds them all\n",
                         node.verdicts.size() - most_verdicts);
    out += draw_causes(causes, n, node.state == NodeState::found, terminal);
  }
  return out;
}

/// null if the runs lack the fact.
ordered_json json_of(const std::optional<std::string>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const judge::DriftedFact& fact) {
  ordered_json odd = ordered_json::array();
  for (const judge::OddValue& one : fact.odd)
    odd.push_back({{"value", json_of(one.value)}, {"runs", one.runs}, {"nodes", one.labels}});
  return {{"device", fact.device},
          {"field", fact.field},
          {"must_match", fact.must_match},
          {"majority", fact.majority},
          {"usual", json_of(fact.usual)},
          {"runs", fact.runs},
          {"of", fact.of},
          {"odd", std::move(odd)}};
}

std::string in_words(const std::optional<std::string>& value) {
  if (!value) return "absent";
  return value->empty() ? "nothing" : *value;
}

/// "a, b, c, d and 2 more".
std::string some_of(const std::vector<std::string>& labels) {
  constexpr std::size_t shown = 4;
  if (labels.size() <= shown) return fmt::format("{}", fmt::join(labels, ", "));
  return fmt::format("{} and {} more", fmt::join(labels.begin(), labels.begin() + shown, ", "),
                     labels.size() - shown);
}

/// Nodes that differ from the majority in driver, libraries, firmware or settings.
std::string draw_drift(const std::vector<judge::DriftedFact>& drift, const Terminal& terminal) {
  constexpr std::size_t shown = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, drift.size()); ++i)
    out += "  " + wrap(plain("differs: " + drift_line(drift[i])), terminal.width, 4) + "\n";
  if (drift.size() > shown)
    out += fmt::format("  and {}; the JSON report holds them all\n",
                       result::counted(drift.size() - shown, "more fact differs", "more facts differ"));
  return out;
}

ordered_json json_of(const NodeJudgement& node, const NodeCauses* causes) {
  ordered_json verdicts = ordered_json::array();
  for (const Verdict& verdict : node.verdicts) verdicts.push_back(peer_verdict_json(verdict));
  return {{"node", node.label},
          {"identity", node.node},
          {"device", node.device},
          {"host", node.host},
          {"state", to_string(node.state)},
          {"runs", node.rounds},
          {"measure_again", node.measure_again},
          {"reason", node.reason},
          {"files", node.files},
          {"verdicts", std::move(verdicts)},
          {"findings", causes == nullptr ? ordered_json::array() : findings_json(causes->diagnosis)},
          {"held_against", causes == nullptr ? std::vector<std::string>() : causes->against}};
}

}  // namespace

std::string draw(const judge::PeersJudgement& judgement, const Terminal& terminal, bool every_node,
                 const CausesOfNodes& causes) {
  std::string out;
  for (const judge::PeerGroup& group : judgement.groups) {
    const std::string judged =
        group.judged ? result::counted(group.metrics, "metric") + " compared" : "not compared";
    out +=
        "  " +
        wrap(plain(fmt::format("{}: {}: {}", group.counted, group.description, judged)), terminal.width, 4) +
        "\n";
  }
  for (const std::string& remark : judgement.remarks)
    out += "  " + wrap(plain(remark), terminal.width, 4) + "\n";
  out += draw_drift(judgement.drift, terminal);
  constexpr std::size_t shown = 5;
  const auto& left_out = judgement.metrics_not_judged;
  for (std::size_t i = 0; i < std::min(shown, left_out.size()); ++i)
    out += "  " +
           terminal.paint(wrap("not compared: " + plain(left_out[i]), terminal.width, 4), Tone::doubt) + "\n";
  if (left_out.size() > shown)
    out += fmt::format("  and {} not compared\n", result::counted(left_out.size() - shown, "more metric"));
  if (const std::string reasons = draw_reasons(judgement.nodes, causes, terminal); !reasons.empty())
    out += "\n" + reasons;
  if (const std::string table = draw_table(judgement.nodes, terminal, every_node); !table.empty())
    out += "\n" + table;
  if (const std::string hosts = draw_hosts(judgement, terminal, every_node); !hosts.empty())
    out += "\n" + hosts;
  for (const judge::FabricJudgement& fabric : judgement.fabrics) out += "\n" + draw(fabric, terminal);
  std::map<NodeState, std::size_t> counts;
  for (const NodeJudgement& node : judgement.nodes) ++counts[node.state];
  const char* before = "\n  ";
  for (const auto& [state, count] : counts) {
    out += fmt::format("{}{} {}", before, count, terminal.paint(to_string(state), tone(state)));
    before = ", ";
  }
  const bool good = judgement.outcome.code == judge::ExitCode::pass;
  const bool bad = judgement.outcome.code == judge::ExitCode::regressed;
  out += "\n" +
         terminal.paint(wrap(plain(judgement.outcome.sentence), terminal.width), good  ? Tone::good
                                                                                 : bad ? Tone::bad
                                                                                       : Tone::doubt) +
         "\n";
  return out;
}

std::string drift_line(const judge::DriftedFact& fact) {
  constexpr std::size_t values_shown = 3;
  std::vector<std::string> odd;
  for (std::size_t i = 0; i < std::min(values_shown, fact.odd.size()); ++i) {
    const judge::OddValue& one = fact.odd[i];
    odd.push_back(fact.majority ? fmt::format("{} on {}", in_words(one.value), some_of(one.labels))
                                : fmt::format("{} on {}", in_words(one.value), one.runs));
  }
  if (const std::size_t more = fact.odd.size() - odd.size(); more > 0)
    odd.push_back(result::counted(more, "other value"));
  if (!fact.majority)
    return fmt::format("{}: no majority among {} runs: {}", fact.field, fact.of, fmt::join(odd, ", "));
  return fmt::format("{}: {} on {} of {} runs; {}", fact.field, in_words(fact.usual), fact.runs, fact.of,
                     fmt::join(odd, "; "));
}

std::string to_json(const judge::PeersJudgement& judgement, const CausesOfNodes& causes) {
  ordered_json groups = ordered_json::array();
  for (const judge::PeerGroup& group : judgement.groups)
    groups.push_back({{"description", group.description},
                      {"nodes", group.nodes},
                      {"hosts", group.hosts},
                      {"metrics", group.metrics},
                      {"judged", group.judged}});
  ordered_json nodes = ordered_json::array();
  for (std::size_t n = 0; n < judgement.nodes.size(); ++n) {
    const auto found = causes.find(n);
    nodes.push_back(json_of(judgement.nodes[n], found == causes.end() ? nullptr : &found->second));
  }
  ordered_json hosts = ordered_json::array();
  for (const judge::HostJudgement& host : judgement.hosts) {
    ordered_json held = ordered_json::array();
    for (const std::size_t node : host.nodes) held.push_back(judgement.nodes[node].label);
    hosts.push_back({{"host", host.name},
                     {"state", to_string(host.state)},
                     {"measure_again", host.measure_again},
                     {"nodes", std::move(held)}});
  }
  ordered_json drift = result::array_of(judgement.drift, json_of);
  ordered_json fabrics = result::array_of(judgement.fabrics, json_of);
  return result::dump_json(
      {{"schema", fleet_schema},
       {"gpugauge", result::build().version},
       {"commit", result::build().commit},
       {"outcome",
        {{"exit_code", static_cast<int>(judgement.outcome.code)}, {"sentence", judgement.outcome.sentence}}},
       {"groups", std::move(groups)},
       {"drift", std::move(drift)},
       {"remarks", judgement.remarks},
       {"metrics_not_compared", judgement.metrics_not_judged},
       {"nodes", std::move(nodes)},
       {"hosts", std::move(hosts)},
       {"fabrics", std::move(fabrics)}});
}

}  // namespace gpugauge::report
