#include "report/fleet.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "result/build.hpp"
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
      {{"node", false, true}, {"runs", true}, {"verdict"}, {"worst", true}, {"finding", false, true}});
  for (const NodeJudgement& node : nodes) {
    if (node.state == NodeState::healthy && !every_node) continue;
    std::optional<double> worst;
    for (const Verdict& verdict : node.verdicts)
      if (verdict.change && (!worst || *verdict.change > *worst)) worst = verdict.change;
    table.add({{plain(node.label), Tone::strong},
               {std::to_string(node.rounds)},
               {std::string(to_string(node.state)), tone(node.state)},
               {worst ? signed_percent(*worst) : "-"},
               {plain(finding(node))}});
  }
  return table.empty() ? "" : table.draw(terminal);
}

/// A paragraph for each of the first nodes: what stands out, and why.
std::string draw_reasons(const std::vector<NodeJudgement>& nodes, const Terminal& terminal) {
  constexpr std::size_t most_nodes = 10;
  constexpr std::size_t most_verdicts = 3;
  std::string out;
  std::size_t shown = 0;
  for (const NodeJudgement& node : nodes) {
    if (node.state == NodeState::healthy || ++shown > most_nodes) break;
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
  }
  return out;
}

ordered_json json_of(const Verdict& verdict) {
  ordered_json out{{"metric", verdict.metric},
                   {"verdict", to_string(verdict.kind)},
                   {"class", verdict.metric_class},
                   {"unit", verdict.unit},
                   {"better", to_string(verdict.better)},
                   {"tolerance", verdict.tolerance},
                   {"rounds", verdict.rounds},
                   {"reason", verdict.reason}};
  if (verdict.value) out["value"] = *verdict.value;
  if (verdict.baseline) out["median_of_nodes"] = *verdict.baseline;
  if (verdict.change) out["change"] = *verdict.change;
  return out;
}

ordered_json json_of(const NodeJudgement& node) {
  ordered_json verdicts = ordered_json::array();
  for (const Verdict& verdict : node.verdicts) verdicts.push_back(json_of(verdict));
  return {{"node", node.label},
          {"identity", node.node},
          {"device", node.device},
          {"state", to_string(node.state)},
          {"runs", node.rounds},
          {"measure_again", node.measure_again},
          {"reason", node.reason},
          {"files", node.files},
          {"verdicts", std::move(verdicts)}};
}

}  // namespace

std::string draw(const judge::PeersJudgement& judgement, const Terminal& terminal, bool every_node) {
  std::string out;
  for (const judge::PeerGroup& group : judgement.groups) {
    const std::string judged =
        group.judged ? fmt::format("{} metrics compared", group.metrics) : "too few to compare";
    out += "  " +
           wrap(plain(fmt::format("{} node{}: {}: {}", group.nodes, group.nodes == 1 ? "" : "s",
                                  group.description, judged)),
                terminal.width, 4) +
           "\n";
  }
  for (const std::string& remark : judgement.remarks)
    out += "  " + wrap(plain(remark), terminal.width, 4) + "\n";
  constexpr std::size_t shown = 5;
  const auto& left_out = judgement.metrics_not_judged;
  for (std::size_t i = 0; i < std::min(shown, left_out.size()); ++i)
    out += "  " +
           terminal.paint(wrap("not compared: " + plain(left_out[i]), terminal.width, 4), Tone::doubt) + "\n";
  if (left_out.size() > shown)
    out += fmt::format("  and {} more metrics not compared\n", left_out.size() - shown);
  if (const std::string reasons = draw_reasons(judgement.nodes, terminal); !reasons.empty())
    out += "\n" + reasons;
  if (const std::string table = draw_table(judgement.nodes, terminal, every_node); !table.empty())
    out += "\n" + table;
  std::map<NodeState, std::size_t> counts;
  for (const NodeJudgement& node : judgement.nodes) ++counts[node.state];
  out += "\n ";
  for (const auto& [state, count] : counts)
    out += fmt::format(" {} {}", count, terminal.paint(to_string(state), tone(state)));
  const bool good = judgement.outcome.code == judge::ExitCode::pass;
  const bool bad = judgement.outcome.code == judge::ExitCode::regressed;
  out += "\n" +
         terminal.paint(wrap(plain(judgement.outcome.sentence), terminal.width), good  ? Tone::good
                                                                                 : bad ? Tone::bad
                                                                                       : Tone::doubt) +
         "\n";
  return out;
}

std::string to_json(const judge::PeersJudgement& judgement) {
  ordered_json groups = ordered_json::array();
  for (const judge::PeerGroup& group : judgement.groups)
    groups.push_back({{"description", group.description},
                      {"nodes", group.nodes},
                      {"metrics", group.metrics},
                      {"judged", group.judged}});
  ordered_json nodes = ordered_json::array();
  for (const NodeJudgement& node : judgement.nodes) nodes.push_back(json_of(node));
  return result::dump_json(
      {{"schema", fleet_schema},
       {"gpugauge", result::build().version},
       {"commit", result::build().commit},
       {"outcome",
        {{"exit_code", static_cast<int>(judgement.outcome.code)}, {"sentence", judgement.outcome.sentence}}},
       {"groups", std::move(groups)},
       {"remarks", judgement.remarks},
       {"metrics_not_compared", judgement.metrics_not_judged},
       {"nodes", std::move(nodes)}});
}

}  // namespace gpugauge::report
