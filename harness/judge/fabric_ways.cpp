#include "judge/fabric_ways.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/reasons.hpp"
#include "result/error.hpp"

namespace gpugauge::judge {
namespace {

using Words = std::vector<std::string>;

void add_words(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

/// "transport socket, network Socket, warnings: ..."; "" where nothing is known.
std::string in_words(const NodeWays& ways) {
  Words out;
  const auto add = [&](const char* what, const Words& words) {
    if (!words.empty()) out.push_back(fmt::format("{} {}", what, fmt::join(words, " and ")));
  };
  add("transport", ways.transports);
  add("network", ways.networks);
  if (!ways.warnings.empty()) out.push_back("warnings: " + some_of(ways.warnings));
  constexpr std::size_t longest = 400;
  return result::one_line(fmt::format("{}", fmt::join(out, ", ")), longest);
}

}  // namespace

void add_ways(NodeWays& ways, const NodeWays& more) {
  add_words(ways.transports, more.transports);
  add_words(ways.networks, more.networks);
  add_words(ways.warnings, more.warnings);
}

FabricJudgement with_ways(const FabricInput& input, FabricJudgement judged) {
  std::map<std::string, NodeWays> own;
  for (const SetMeasurement& set : input.measurements)
    for (const auto& [node, ways] : set.ways) add_ways(own[node], ways);
  for (FabricNode& node : judged.nodes)
    if (const auto found = own.find(node.name); found != own.end()) node.ways = found->second;
  for (FabricFinding& finding : judged.findings) {
    if (finding.nodes.size() != 1 || !own.contains(finding.nodes.front())) continue;
    const std::string& node = finding.nodes.front();
    NodeWays elsewhere;  // a partner's log names the way to this node
    for (const SetMeasurement& set : input.measurements)
      if (std::find(set.nodes.begin(), set.nodes.end(), node) == set.nodes.end())
        for (const auto& [other, ways] : set.ways) add_ways(elsewhere, ways);
    const std::string here = in_words(own.at(node));
    const std::string there = in_words(elsewhere);
    if (!here.empty() && !there.empty())
      finding.sentence += fmt::format("; NCCL's log there: {}; elsewhere: {}", here, there);
  }
  return judged;
}

}  // namespace gpugauge::judge
