// What a launcher is to measure again.
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/fleet.hpp"
#include "report/format.hpp"

namespace gpugauge::report {

std::string retest_list(const judge::PeersJudgement& judgement) {
  std::string out;
  for (const judge::NodeJudgement& node : judgement.nodes)
    if (node.measure_again)
      out += fmt::format("{}\t{}\n", plain(node.host.empty() ? node.label : node.host), plain(node.device));
  std::set<std::string> sets;  // several metrics of a benchmark ask for the same
  for (const judge::FabricJudgement& fabric : judgement.fabrics)
    for (const std::vector<std::string>& nodes : fabric.measure_again)
      if (std::string line = fmt::format("{}\t{}\n", plain(fmt::format("{}", fmt::join(nodes, ","))),
                                         plain(fabric.metric.substr(0, fabric.metric.rfind(':'))));
          sets.insert(line).second)
        out += line;
  return out;
}

std::string unnamed_in_retest_list(const judge::PeersJudgement& judgement) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> labels;
  std::size_t unnamed = 0;
  for (const judge::NodeJudgement& node : judgement.nodes) {
    if (!node.measure_again || !node.host.empty()) continue;
    if (++unnamed <= shown) labels.push_back(node.label);
  }
  if (unnamed == 0) return "";
  return fmt::format(
      "{} of what is to be measured again {} called by {} file{}, since no name of {} node{} is known "
      "({}{}): lay "
      "the runs of each node into a folder of its name (DIR/NODE/run.json) before a launcher reads the list.",
      unnamed, unnamed == 1 ? "is" : "are", unnamed == 1 ? "its" : "their", unnamed == 1 ? "" : "s",
      unnamed == 1 ? "its" : "their", unnamed == 1 ? "" : "s", fmt::join(labels, ", "),
      unnamed > shown ? fmt::format(" and {} more", unnamed - shown) : "");
}

}  // namespace gpugauge::report
