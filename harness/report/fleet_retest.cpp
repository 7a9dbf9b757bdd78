// Lists what a launcher must measure again.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/reasons.hpp"
#include "report/digest.hpp"
#include "report/fleet.hpp"
#include "report/format.hpp"
#include "result/counted.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::report {
namespace {

const std::string& name_of(const judge::NodeJudgement& node) {
  return node.host.empty() ? node.label : node.host;
}

/// True if the list can hold this name. A launcher looks the name up letter by letter. A name that would need
/// changes, or reads as an option or as two names, is useless.
bool can_be_listed(const std::string& name) {
  return !name.empty() && name.front() != '-' && name.find(',') == std::string::npos &&
         tame(name, std::string::npos) == name;
}

bool can_all_be_listed(const std::vector<std::string>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), can_be_listed);
}

}  // namespace

std::string retest_list(const judge::PeersJudgement& judgement) {
  std::string out;
  for (const judge::NodeJudgement& node : judgement.nodes)
    if (node.measure_again && can_be_listed(name_of(node)))
      // For a file that could not be read, the device is unknown.
      out += fmt::format("{}\t{}\n", name_of(node), node.device.empty() ? "all" : plain(node.device));
  std::set<std::string> sets;  // several metrics of a benchmark request the same set
  for (const judge::FabricJudgement& fabric : judgement.fabrics)
    for (const std::vector<std::string>& nodes : fabric.measure_again)
      if (std::string line =
              fmt::format("{}\t{}\n", fmt::join(nodes, ","), plain(result::benchmark_of(fabric.metric)));
          can_all_be_listed(nodes) && sets.insert(line).second)
        out += line;
  return out;
}

std::string left_out_of_retest_list(const judge::PeersJudgement& judgement) {
  constexpr std::size_t shown_most = 60;
  std::set<std::string> names;
  const auto look_at = [&](const std::string& name) {
    if (!can_be_listed(name)) names.insert(tame(name, shown_most));
  };
  for (const judge::NodeJudgement& node : judgement.nodes)
    if (node.measure_again) look_at(name_of(node));
  for (const judge::FabricJudgement& fabric : judgement.fabrics)
    for (const std::vector<std::string>& nodes : fabric.measure_again)
      std::for_each(nodes.begin(), nodes.end(), look_at);
  if (names.empty()) return "";
  return fmt::format(
      "What is to be measured again of {} is left out of the list, since no launcher finds a node by a name "
      "with a control character, a comma or a '-' in front: give the folder, or the node in `history ingest "
      "--node`, the node's own name.",
      judge::some_of({names.begin(), names.end()}));
}

std::string unnamed_in_retest_list(const judge::PeersJudgement& judgement) {
  std::vector<std::string> labels;
  for (const judge::NodeJudgement& node : judgement.nodes)
    if (node.measure_again && node.host.empty() && can_be_listed(node.label)) labels.push_back(node.label);
  if (labels.empty()) return "";
  return fmt::format(
      "The list of what is to be measured again has the name of a file in {}, since the node's is not known "
      "({}): lay the runs of each node into a folder of its name (DIR/NODE/run.json) before a launcher reads "
      "the list.",
      result::counted(labels.size(), "line"), judge::some_of(labels));
}

}  // namespace gpugauge::report
