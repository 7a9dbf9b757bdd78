// Groups the runs of a fleet by node and kind.
#include "judge/peer_kinds.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "baseline/fields.hpp"
#include "judge/peer_faults.hpp"
#include "judge/peer_hosts.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"

namespace gpugauge::judge {
namespace {

/// Quotes a value; an absent fact is not a value.
std::string quoted(const std::string& value) {
  return value.empty() ? "absent" : result::quoted(value);
}

}  // namespace

std::vector<PeerRounds> nodes_of(const std::vector<PeerRound>& rounds, std::vector<std::string>& remarks) {
  std::map<std::string, PeerRounds> by_name;
  for (const PeerRound& round : rounds) by_name[round.node].push_back(&round);
  std::vector<PeerRounds> out;
  for (auto& [name, node] : by_name) {
    std::sort(node.begin(), node.end(), [](const PeerRound* a, const PeerRound* b) {
      return std::pair(a->id, a->file) < std::pair(b->id, b->file);
    });
    PeerRounds each;
    for (auto first = node.begin(); first != node.end();) {
      const auto end =
          std::find_if(first, node.end(), [&](const PeerRound* one) { return one->id != (*first)->id; });
      if (end - first > 1)
        remarks.push_back(fmt::format("{} was given {} times: one run cannot confirm itself.", (*first)->file,
                                      end - first));
      each.push_back(*first);
      first = end;
    }
    out.push_back(std::move(each));
  }
  return out;
}

std::vector<PeerKind> kinds_of(const std::vector<PeerRounds>& nodes) {
  std::map<std::string, std::map<std::string, std::map<std::string, std::set<std::size_t>>>> hashes;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const PeerRound* round : nodes[n])
      for (const auto& [family, hash] : round->source_hashes) hashes[round->kind][family][hash].insert(n);
  std::map<std::string, PeerKind> groups;
  std::map<std::string, std::size_t> last;  // the last node added to the group
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const PeerRound* round : nodes[n]) {
      std::string name = round->kind;
      for (const auto& [family, hash] : round->source_hashes) {
        const auto& found = hashes.at(round->kind).at(family);
        const auto most = std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
          return a.second.size() < b.second.size();
        });
        if (most->first != hash) name += fmt::format(" {}={}", family, hash);
      }
      PeerKind& group = groups[name];
      if (const auto [node, added] = last.try_emplace(name, n); added || node->second != n) {
        node->second = n;
        group.emplace_back();
      }
      group.back().push_back(round);
    }
  std::vector<PeerKind> out;
  out.reserve(groups.size());
  for (auto& [name, group] : groups) out.push_back(std::move(group));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return out;
}

namespace {

/// Adds checksums that most nodes' runs note and another node's do not, if it was asked for them.
void add_missing_checksums(const PeerKind& nodes, ChecksumComparison& out) {
  constexpr int fewest = 3;  // as for a majority of checksums
  std::map<std::string, std::vector<bool>> holders;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const PeerRound* round : nodes[n])
      for (const auto& [benchmark, values] : round->checksums)
        holders.try_emplace(benchmark, nodes.size(), false).first->second[n] = true;
  const DeviceCount count = count_of(nodes);
  for (const auto& [benchmark, holds] : holders) {
    const auto have = static_cast<int>(std::count(holds.begin(), holds.end(), true));
    if (have < fewest || 2 * static_cast<std::size_t>(have) <= nodes.size()) continue;
    PeerForm form;
    form.key = fmt::format("{}:checksum", benchmark);
    form.benchmark = benchmark;
    form.metric_class = "integrity";
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (std::none_of(nodes[n].begin(), nodes[n].end(),
                       [&](const PeerRound* round) { return was_chosen(*round, form.benchmark); }))
        continue;
      std::vector<InRun> runs;
      for (const PeerRound* round : nodes[n])
        runs.push_back(round->checksums.contains(benchmark) ? InRun::held : InRun::lacking);
      std::optional<Verdict> verdict = lacking({form, have - (holds[n] ? 1 : 0), runs}, nodes[n], count);
      if (!verdict) continue;
      if (verdict->kind == VerdictKind::inconclusive) out.again[n] = true;
      out.verdicts[n].push_back(std::move(*verdict));
    }
  }
}

}  // namespace

ChecksumComparison compare_node_checksums(const PeerKind& nodes) {
  std::vector<RunChecksums> gpus(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const PeerRound* round : nodes[n])
      if (!round->checksums.empty()) gpus[n].push_back(&round->checksums);
  ChecksumComparison out = compare_checksums(gpus);
  add_missing_checksums(nodes, out);
  return out;
}

result::Fingerprint fingerprint_of(const PeerKind& kind) {
  result::Fingerprint out = *kind.front().front()->fingerprint;
  std::erase_if(out.suite, [](const auto& fact) {
    return baseline::role_of("suite", fact.first) == baseline::Role::must_in_common;
  });
  for (const PeerRounds& node : kind)
    for (const PeerRound* round : node)
      out.suite.insert(round->source_hashes.begin(), round->source_hashes.end());
  return out;
}

std::string describe(const PeerRound& round) {
  std::string text;
  if (result::is_host(round.device)) {
    text = result::fact(round.fingerprint->device, "host.cpu_model");
  } else {
    text = result::fact(round.fingerprint->device, "gpu.0.name");
    if (const std::string driver = result::fact(round.fingerprint->stack, "driver.version"); !driver.empty())
      text += ", driver " + driver;
  }
  return text.empty() ? "nodes of one kind" : text;
}

std::string describe(const PeerKind& kind, const PeerKind& largest) {
  const PeerRound& first = *kind.front().front();
  const PeerRound& usual = *largest.front().front();
  std::string text = describe(first);
  if (&kind == &largest) return text;
  std::vector<std::string> different;
  for (const baseline::Mismatch& field : baseline::mismatches(*first.fingerprint, *usual.fingerprint))
    different.push_back(
        fmt::format("{} is {} here and {} there", field.field, quoted(field.now), quoted(field.then)));
  if (first.source_hashes != usual.source_hashes && different.empty())
    different.emplace_back("the sources of a family differ");
  if (different.empty()) return text;
  constexpr std::size_t shown = 3;
  const std::size_t more = different.size() > shown ? different.size() - shown : 0;
  different.resize(different.size() - more);
  return fmt::format("{}; against the largest group: {}{}", text, fmt::join(different, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace gpugauge::judge
