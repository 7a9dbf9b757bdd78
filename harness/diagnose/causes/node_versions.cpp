#include "diagnose/causes/node_versions.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

namespace gpugauge::diagnose {
namespace {

const Words versions_of_ranks{
    "NCCL version mismatch", "mismatched NCCL", "different versions of NCCL",
    "version mismatch between ranks", "Message truncated : received", "net plugin*mismatch",
    "ncclRemoteError*version", "mismatch*collective", "Inconsistent*rank",
    // Ranks of this tool compare before they begin.
    "NCCL differs between ranks", "network plugin differs between ranks", "The driver differs between ranks",
    "of the driver differs between ranks", "The CUDA runtime differs between ranks",
    "tuner plugin differs between ranks", "NCCL_*differs between ranks"};

/// The host in an NCCL log line such as "node3:1234:1240 [0] NCCL INFO ..."; "" where there is none.
std::string host_of(const std::string& line) {
  const std::size_t colon = line.find(':');
  const bool prefix = colon != std::string::npos && colon > 0 && colon + 1 < line.size() &&
                      std::isdigit(static_cast<unsigned char>(line[colon + 1])) != 0 &&
                      line.substr(0, colon).find(' ') == std::string::npos && contains(line, "NCCL");
  return prefix ? line.substr(0, colon) : "";
}

bool digit_stands_at(const std::string& text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

/// The dotted versions of a text; a tuple as Python prints it, "(2, 18, 6)", is one as well.
std::set<std::string> versions_in(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && i > 0 && digit_stands_at(text, i - 1) && i + 1 < text.size() &&
        text[i + 1] == ' ' && digit_stands_at(text, i + 2)) {
      plain += '.';
      ++i;
    } else {
      plain += text[i];
    }
  }
  std::set<std::string> out;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    if (!digit_stands_at(plain, at)) continue;
    std::size_t end = at;
    int dots = 0;
    while (digit_stands_at(plain, end) ||
           (end < plain.size() && plain[end] == '.' && digit_stands_at(plain, end + 1)))
      dots += plain[end++] == '.' ? 1 : 0;
    if (dots >= 2) out.insert(plain.substr(at, end - at));
    at = end;
  }
  return out;
}

}  // namespace

Fact plugins_differ(const Seen& seen) {
  std::set<std::string> with;
  std::set<std::string> without;
  for (const std::string& line : seen.it().log) {
    const std::string host = host_of(line);
    if (host.empty()) continue;
    if (contains_any(line, {"could not find*libnccl-net", "no plugin found", "internal network plugin"}))
      without.insert(host);
    else if (contains_any(line, {"plugin path", "loaded net plugin", "successfully loaded*plugin"}))
      with.insert(host);
  }
  for (const std::string& host : without)
    if (!with.empty() && !with.contains(host))
      return fmt::format("log: {} has a network plugin and {} has none", *with.begin(), host);
  return std::nullopt;
}

Fact ranks_differ(const Seen& seen) {
  // A program whose ranks call unlike collectives is told so by its framework, whatever the nodes hold.
  return seen.told(versions_of_ranks, {"running inconsistent collective", "mismatch between collectives"});
}

Fact versions_by_node(const Seen& seen) {
  if (seen.it().about.nodes.value_or(1) > 1)
    for (const char* key : {"nccl.version", "nccl.plugin", "driver.version", "cuda.runtime"}) {
      const Value* value = seen.inventory(key);
      if (value == nullptr || value->list() == nullptr) continue;
      std::set<std::string> versions;
      for (const std::string& item : value->items()) versions.merge(versions_in(item));
      if (versions.size() > 1) return fmt::format("{} = {}", key, value->text());
    }
  std::map<std::string, std::string> hosts;
  for (const std::string& line : seen.it().log) {
    constexpr std::string_view label = "NCCL version ";
    const std::size_t at = line.find(label);
    const std::string host = host_of(line);
    if (host.empty() || at == std::string::npos || !digit_stands_at(line, at + label.size())) continue;
    const std::string version =
        line.substr(at + label.size(), line.find(' ', at + label.size()) - at - label.size());
    for (const auto& [other, others] : hosts)
      if (other != host && others != version)
        return fmt::format("log: {} has NCCL {} and {} {}", other, others, host, version);
    hosts.emplace(host, version);
  }
  return std::nullopt;
}

Fact versions_told(const Seen& seen) {
  for (const Metric& metric : seen.it().metrics)
    if (contains_any_word(metric.note, {"nccl", "plugin", "aws-ofi"}) &&
        versions_in(metric.note).size() > 1 &&
        contains_any_word(metric.note,
                          {"on the rest", "on the others", "on the other", "there and", "on node*on node",
                           "elsewhere", "only node", "on one node", "on this node", "on host*on host",
                           "the rest has", "the others have"}))
      return fmt::format("the report says: \"{}\"", metric.note);
  return std::nullopt;
}

Fact versions_aligned(const Seen& seen) {
  for (const Probe& probe : seen.it().probes) {
    if (probe.outcome != "recovers" && probe.outcome != "normal") continue;
    const bool component = contains_any_word(probe.detail, {"nccl", "plugin", "aws-ofi", "driver", "cuda"});
    const bool where =
        contains_any_word(probe.detail, {"on node", "on all nodes", "on every node", "on both nodes",
                                         "on each node", "on the new node", "on the other", "on host",
                                         "on one node", "on all hosts", "on every host"});
    const bool alike = contains_any_word(probe.detail, {"same AMI", "same image", "same version", "same NCCL",
                                                        "same driver", "same plugin", "same container"});
    if ((probe.name == "change_version" && component && where) || (probe.name == "swap_node" && alike))
      return recovering(fmt::format("tried: {} ({}) recovers", probe.name, probe.detail));
  }
  return std::nullopt;
}

}  // namespace gpugauge::diagnose
