// Writes the judgement of a fabric for the terminal and as JSON.
#include "report/fabric.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/format.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"
#include "result/json_array.hpp"

namespace gpugauge::report {
namespace {

using judge::FabricFault;
using judge::FabricFinding;
using judge::FabricJudgement;
using judge::FabricNode;
using judge::FabricSet;
using judge::FabricSize;
using nlohmann::ordered_json;

constexpr std::size_t most_in_a_matrix = 16;

bool of_size(const FabricSet& set, const FabricSize& size) {
  return set.nodes.size() == size.nodes && set.ranks == size.ranks;
}

std::string size_text(const FabricSize& size) {
  const std::string ranks = size.ranks > 0 ? fmt::format(", {} ranks each", size.ranks) : "";
  return size.nodes == 2
             ? fmt::format("{}{}", result::counted(size.sets, "pair"), ranks)
             : fmt::format("{} of {} nodes{}", result::counted(size.sets, "set"), size.nodes, ranks);
}

Cell cell_of(const FabricSet& set, double tolerance) {
  if (!set.change) return set.failed > 0 ? Cell{"failed", Tone::bad} : Cell{"-", Tone::faint};
  return {signed_percent(*set.change), *set.change > tolerance ? Tone::bad : Tone::normal};
}

/// A node-by-node table of pairs: how much worse each is than the reference.
std::string draw_matrix(const FabricJudgement& fabric, const FabricSize& size, const Terminal& terminal) {
  std::vector<Column> columns{{"node", false, true}, {"itself", true}};
  std::map<std::string, std::size_t> place;
  for (const FabricNode& node : fabric.nodes) {
    place.emplace(node.name, place.size());
    columns.push_back({fmt::format("{}", place.size()), true});
  }
  std::vector<std::vector<Cell>> cells(place.size(), std::vector<Cell>(place.size()));
  for (const FabricSet& set : fabric.sets) {
    if (!of_size(set, size)) continue;
    const std::size_t one = place.at(set.nodes[0]);
    const std::size_t other = place.at(set.nodes[1]);
    cells[one][other] = cells[other][one] = cell_of(set, fabric.tolerance);
  }
  Table table(columns);
  for (const FabricNode& node : fabric.nodes) {
    const std::size_t row = place.at(node.name);
    const bool fine = node.state == "fine";
    std::vector<Cell> line{{fmt::format("{} {}", row + 1, plain(node.name)), fine ? Tone::normal : Tone::bad},
                           {node.slowness ? signed_percent(*node.slowness)
                            : fine        ? ""
                                          : node.state}};
    line.insert(line.end(), cells[row].begin(), cells[row].end());
    table.add(std::move(line));
  }
  return table.draw(terminal);
}

/// The slowest sets, if the fabric is too large for a node-by-node table.
std::string draw_slowest(const FabricJudgement& fabric, const Terminal& terminal) {
  constexpr std::size_t shown = 12;
  std::vector<const FabricSet*> sets;
  for (const FabricSet& set : fabric.sets)
    if (set.failed > 0 || (set.change && *set.change > fabric.tolerance)) sets.push_back(&set);
  std::stable_sort(sets.begin(), sets.end(), [](const FabricSet* a, const FabricSet* b) {
    return a->change.value_or(1) > b->change.value_or(1);
  });
  Table table({{"nodes", false, true}, {"best", true}, {"change", true}, {"not by its nodes", true}});
  for (std::size_t i = 0; i < std::min(shown, sets.size()); ++i) {
    const FabricSet& set = *sets[i];
    const bool lower = fabric.better == result::Direction::lower;
    const auto best = lower ? std::min_element(set.values.begin(), set.values.end())
                            : std::max_element(set.values.begin(), set.values.end());
    table.add({{plain(judge::joined(set.nodes)), Tone::strong},
               {best == set.values.end() ? "failed" : quantity(*best, fabric.unit)},
               cell_of(set, fabric.tolerance),
               {set.unexplained ? signed_percent(*set.unexplained) : "-"}});
  }
  if (table.empty()) return "";
  const std::string more =
      sets.size() > shown ? fmt::format("    and {}\n", result::counted(sets.size() - shown, "more slow set"))
                          : "";
  return table.draw(terminal) + more;
}

ordered_json json_of(const FabricFinding& finding) {
  ordered_json out{
      {"finding", to_string(finding.fault)}, {"nodes", finding.nodes}, {"reason", finding.sentence}};
  if (finding.change) out["change"] = *finding.change;
  return out;
}

ordered_json json_of(const FabricNode& node) {
  ordered_json out{{"node", node.name}, {"state", node.state}, {"sets", node.sets}};
  if (node.slowness) out["slowness"] = *node.slowness;
  if (node.ways != judge::NodeWays{})
    out["nccl"] = {{"transports", node.ways.transports},
                   {"networks", node.ways.networks},
                   {"paths", node.ways.paths},
                   {"warnings", node.ways.warnings},
                   {"reasons", node.ways.reasons}};
  return out;
}

ordered_json json_of(const FabricSet& set) {
  ordered_json out{
      {"nodes", set.nodes}, {"ranks", set.ranks}, {"values", set.values}, {"failed", set.failed}};
  if (set.change) out["change"] = *set.change;
  if (set.unexplained) out["unexplained"] = *set.unexplained;
  return out;
}

ordered_json json_of(const FabricSize& size) {
  ordered_json out{{"nodes", size.nodes}, {"ranks", size.ranks}, {"sets", size.sets}};
  if (size.reference) out["reference"] = *size.reference;
  return out;
}

}  // namespace

std::string draw(const FabricJudgement& fabric, const Terminal& terminal) {
  const auto line = [&](const std::string& text) {
    return "    " + wrap(plain(text), terminal.width, 6) + "\n";
  };
  std::string out = fmt::format("  {}{}\n", terminal.paint(plain(fabric.metric), Tone::strong),
                                plain(fabric.description.empty() ? "" : ": " + fabric.description));
  for (const FabricSize& size : fabric.sizes)
    out +=
        line(size.reference ? fmt::format("{}: held against {}{}, tolerance {}", size_text(size),
                                          fabric.expected ? "the expected " : "",
                                          quantity(*size.reference, fabric.unit), percent(fabric.tolerance))
                            : fmt::format("{}: not compared", size_text(size)));
  for (const FabricFinding& finding : fabric.findings)
    out += "    " +
           terminal.paint(wrap(plain(fmt::format("{}: {}: {}", to_string(finding.fault),
                                                 judge::joined(finding.nodes), finding.sentence)),
                               terminal.width, 6),
                          finding.fault == FabricFault::undecided ? Tone::doubt : Tone::bad) +
           "\n";
  for (const std::string& remark : fabric.remarks) out += line(remark);
  if (!fabric.measure_again.empty()) {
    std::vector<std::string> sets;
    for (const std::vector<std::string>& nodes : fabric.measure_again) sets.push_back(judge::joined(nodes));
    out += line(fmt::format("would tell, measured together: {}", fmt::join(sets, "; ")));
  }
  if (!fabric.judged) return out;
  if (fabric.nodes.size() > most_in_a_matrix) return out + draw_slowest(fabric, terminal);
  for (const FabricSize& size : fabric.sizes)
    if (size.nodes == 2 && size.reference) out += draw_matrix(fabric, size, terminal);
  return out;
}

ordered_json json_of(const FabricJudgement& fabric) {
  ordered_json out{{"metric", fabric.metric},
                   {"class", fabric.metric_class},
                   {"unit", fabric.unit},
                   {"better", to_string(fabric.better)},
                   {"description", fabric.description},
                   {"tolerance", fabric.tolerance},
                   {"judged", fabric.judged}};
  if (fabric.expected) out["expected"] = *fabric.expected;
  out["sizes"] = result::array_of(fabric.sizes, json_of);
  out["findings"] = result::array_of(fabric.findings, json_of);
  out["nodes"] = result::array_of(fabric.nodes, json_of);
  out["sets"] = result::array_of(fabric.sets, json_of);
  out["measure_again"] = fabric.measure_again;
  out["remarks"] = fabric.remarks;
  return out;
}

}  // namespace gpugauge::report
