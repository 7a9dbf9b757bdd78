#include "support/ranks/agreement.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

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
    Shared{
        "nccl.tuner", "NCCL's tuner plugin",
        "Install the same plugin on all nodes, or none, and set NCCL_TUNER_PLUGIN alike: ranks that choose "
        "different algorithms wait for each other for ever."},
    Shared{"nccl.environment", "NCCL's environment plugin",
           "Install the same plugin on all nodes, or none, and set NCCL_ENV_PLUGIN alike: NCCL reads all its "
           "variables through it, and ranks that choose differently wait for each other for ever."},
};

constexpr std::string_view all_settings = "setting.";
constexpr std::string_view node_settings = "node_setting.";

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

/// "2.27.3 on rank 2 (n2), 2.28.9 on ranks 0-1 (n1)".
std::string parts_of(const std::map<std::string, std::vector<int>>& groups, const RankFacts& ranks) {
  std::vector<std::string> parts;
  parts.reserve(groups.size());
  for (const auto& [value, members] : groups)
    parts.push_back(fmt::format("{} on {}", value, who(members, ranks)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The ranks by what they say of a variable, with the file that says so.
std::map<std::string, std::vector<int>> by_setting(const std::string& key, const std::string& name,
                                                   const std::vector<int>& members, const RankFacts& ranks) {
  std::map<std::string, std::vector<int>> groups;
  std::set<std::string> values;
  for (const int rank : members) {
    const result::Facts& facts = ranks[static_cast<std::size_t>(rank)];
    const std::string value = value_of(facts, key.c_str());
    const std::string file = value_of(facts, ("from." + name).c_str());
    values.insert(value);
    const std::string said = value.empty() ? "not set" : fmt::format("{}={}", name, value);
    groups[fmt::format("{}{}{}", said, file.empty() ? "" : " by ", file)].push_back(rank);
  }
  if (values.size() < 2) groups.clear();  // set alike, whatever by
  return groups;
}

/// The ranks of each host, or all of them together.
std::vector<std::vector<int>> compared_together(const RankFacts& ranks, bool by_host) {
  std::map<std::string, std::vector<int>> sets;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    sets[by_host ? value_of(ranks[rank], "host") : ""].push_back(static_cast<int>(rank));
  std::vector<std::vector<int>> out;
  out.reserve(sets.size());
  for (auto& [host, members] : sets) out.push_back(std::move(members));
  return out;
}

/// One sentence on the first variable that differs, with the names of the others.
std::optional<std::string> unlike_settings(const RankFacts& ranks, std::string_view kind, const char* where) {
  std::set<std::string> keys;
  for (const result::Facts& facts : ranks)
    for (const auto& [key, value] : facts)
      if (key.starts_with(kind)) keys.insert(key);
  const auto sets = compared_together(ranks, kind == node_settings);
  std::vector<std::string> names;
  std::string first;
  for (const std::string& key : keys)
    for (const std::vector<int>& members : sets) {
      const auto groups = by_setting(key, key.substr(kind.size()), members, ranks);
      if (groups.empty()) continue;
      if (names.empty()) first = parts_of(groups, ranks);
      names.push_back(key.substr(kind.size()));
      break;
    }
  if (names.empty()) return std::nullopt;
  const std::vector<std::string> others(names.begin() + 1, names.end());
  return fmt::format(
      "{} differs between ranks{}: {}{}. Set {} alike, or nowhere, in the environment (mpirun hands it on with "
      "-x) and in NCCL's configuration files: ranks that choose differently wait for each other for ever.",
      names.front(), where, first, others.empty() ? "" : fmt::format("; so does {}", fmt::join(others, ", ")),
      others.empty() ? "it" : "them");
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
    return fmt::format("{} differs between ranks: {}. {}", field.title, parts_of(groups, ranks), field.step);
  }
  if (auto sentence = unlike_settings(ranks, all_settings, "")) return sentence;
  if (auto sentence = unlike_settings(ranks, node_settings, " of one node")) return sentence;
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
