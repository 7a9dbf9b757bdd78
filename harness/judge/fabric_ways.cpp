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

Words without(Words words, const Words& others) {
  std::erase_if(words, [&](const std::string& word) {
    return std::find(others.begin(), others.end(), word) != others.end();
  });
  return words;
}

/// "transport socket, network Socket, it says: ..."; "" where nothing is known.
std::string in_words(const NodeWays& ways, const NodeWays& others) {
  Words out;
  const auto add = [&](const char* what, const Words& words) {
    if (!words.empty()) out.push_back(fmt::format("{} {}", what, fmt::join(words, " and ")));
  };
  add("transport", ways.transports);
  add("network", ways.networks);
  add("paths", ways.paths);
  if (const Words own = without(ways.warnings, others.warnings); !own.empty())
    out.push_back("warnings: " + some_of(own));
  if (const Words own = without(ways.reasons, others.reasons); !own.empty())
    out.push_back("it says: " + some_of(own));
  constexpr std::size_t longest = 500;
  return result::one_line(fmt::format("{}", fmt::join(out, ", ")), longest);
}

}  // namespace

void add_ways(NodeWays& ways, const NodeWays& more) {
  add_words(ways.transports, more.transports);
  add_words(ways.networks, more.networks);
  add_words(ways.paths, more.paths);
  add_words(ways.warnings, more.warnings);
  add_words(ways.reasons, more.reasons);
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
    const std::string here = in_words(own.at(node), elsewhere);
    const std::string there = in_words(elsewhere, own.at(node));
    if (!here.empty() && !there.empty())
      finding.sentence += fmt::format("; NCCL's log there: {}; elsewhere: {}", here, there);
  }
  return judged;
}

}  // namespace gpugauge::judge
