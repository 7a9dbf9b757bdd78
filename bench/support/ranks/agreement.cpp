#include "support/ranks/agreement.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpugauge::bench::ranks {

namespace {

struct Shared {
  const char* key;
  const char* title;
  const char* step;
};

constexpr std::array shared{
    Shared{"suite", "GPUGauge", "Start the same build everywhere."},
    Shared{"source_hash", "The family's sources", "Start the same build everywhere."},
    Shared{"driver", "The driver", "Install the same driver on all nodes."},
    Shared{"cuda.driver", "The CUDA version of the driver", "Install the same driver on all nodes."},
    Shared{"cuda.runtime", "The CUDA runtime", "Start the same build everywhere."},
    Shared{"nccl", "NCCL", "Load the same NCCL on all nodes: ranks of different versions can hang."},
    Shared{"nccl.plugin", "NCCL's network plugin", "Install the same plugin on all nodes, or none."},
};

std::string value_of(const result::Facts& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

/// Formats ranks with their machines: "ranks 0-3 (node1, node2)".
std::string who(const std::vector<int>& members, const RankFacts& ranks) {
  constexpr std::size_t most_named = 4;
  std::vector<std::string> hosts;
  for (const int rank : members) {
    const std::string host = value_of(ranks[static_cast<std::size_t>(rank)], "host");
    if (!host.empty() && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  const bool more = hosts.size() > most_named;
  if (more) hosts.resize(most_named);
  return fmt::format(
      "rank{} {}{}", members.size() == 1 ? "" : "s", list_of(members),
      hosts.empty() ? "" : fmt::format(" ({}{})", fmt::join(hosts, ", "), more ? ", ..." : ""));
}

std::optional<std::string> cannot(const RankFacts& ranks) {
  std::map<std::string, std::vector<int>> reasons;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (const std::string error = value_of(ranks[rank], "error"); !error.empty())
      reasons[error].push_back(static_cast<int>(rank));
  if (reasons.empty()) return std::nullopt;
  // Gives the reason of the lowest rank, and counts the others.
  const auto first = std::min_element(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
    return a.second.front() < b.second.front();
  });
  std::size_t others = 0;
  for (const auto& [reason, members] : reasons)
    if (reason != first->first) others += members.size();
  return fmt::format("{} cannot take part: {}{}", who(first->second, ranks), first->first,
                     others == 0 ? "" : fmt::format(" ({} more for other reasons)", others));
}

}  // namespace

std::string list_of(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += last == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::string> disagreement(const RankFacts& ranks) {
  if (auto sentence = cannot(ranks)) return sentence;
  for (const Shared& field : shared) {
    std::map<std::string, std::vector<int>> groups;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      if (const std::string value = value_of(ranks[rank], field.key); !value.empty() && value != "unknown")
        groups[value].push_back(static_cast<int>(rank));
    if (groups.size() < 2) continue;
    std::vector<std::string> parts;
    parts.reserve(groups.size());
    for (const auto& [value, members] : groups)
      parts.push_back(fmt::format("{} on {}", value, who(members, ranks)));
    return fmt::format("{} differs between ranks: {}. {}", field.title, fmt::join(parts, ", "), field.step);
  }
  std::map<std::string, std::vector<int>> owners;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (const std::string uuid = value_of(ranks[rank], "gpu.uuid"); !uuid.empty())
      owners[uuid].push_back(static_cast<int>(rank));
  for (const auto& [uuid, members] : owners)
    if (members.size() > 1)
      return fmt::format(
          "{} were given one GPU, {}: start no more ranks on a node than it has GPUs, each with its own.",
          who(members, ranks), uuid);
  return std::nullopt;
}

}  // namespace gpugauge::bench::ranks
