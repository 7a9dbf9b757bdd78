#include "judge/peer_hosts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/device_kind.hpp"

namespace gpugauge::judge {
namespace {

/// Disjoint sets (union-find).
class Together {
 public:
  explicit Together(std::size_t things) : parent_(things) { std::iota(parent_.begin(), parent_.end(), 0U); }
  std::size_t of(std::size_t thing) {
    while (parent_[thing] != thing) thing = parent_[thing] = parent_[parent_[thing]];
    return thing;
  }
  void join(std::size_t one, std::size_t other) { parent_[of(one)] = of(other); }

 private:
  std::vector<std::size_t> parent_;
};

/// Joins items with a common name.
class ByName {
 public:
  explicit ByName(Together& sets) : sets_(sets) {}
  void add(std::size_t thing, const std::string& name) {
    if (const auto [first, added] = first_.try_emplace(name, thing); !added) sets_.join(thing, first->second);
  }

 private:
  Together& sets_;
  std::map<std::string, std::size_t> first_;
};

}  // namespace

std::string host_of(const PeerRounds& device) {
  for (const PeerRound* round : device)
    if (!round->host.empty()) return round->host;
  return "";
}

std::vector<std::optional<std::size_t>> machines_of(const std::vector<PeerRounds>& devices) {
  // Containers of one machine may have their own names and share its boot. A boot therefore identifies only
  // unnamed rounds, and implies a name only if it has exactly one.
  std::map<std::string, std::set<std::string>> names;
  for (const PeerRounds& device : devices)
    if (const std::string host = host_of(device); !host.empty())
      for (const PeerRound* round : device) names[round->boot].insert(host);
  Together sets(devices.size());
  ByName hosts(sets);
  ByName boots(sets);
  std::vector<bool> known(devices.size(), false);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (const std::string host = host_of(devices[d]); !host.empty()) {
      hosts.add(d, host);
      known[d] = true;
      continue;
    }
    for (const PeerRound* round : devices[d]) {
      if (round->boot.empty()) continue;
      boots.add(d, round->boot);
      if (const auto named = names.find(round->boot); named != names.end() && named->second.size() == 1)
        hosts.add(d, *named->second.begin());
      known[d] = true;
    }
  }
  std::vector<std::optional<std::size_t>> out(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    if (known[d]) out[d] = sets.of(d);
  return out;
}

std::vector<std::optional<std::size_t>> machines_by_boot(const std::vector<PeerRound>& rounds) {
  Together sets(rounds.size());
  ByName devices(sets);
  ByName boots(sets);
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    devices.add(r, rounds[r].node);
    if (!rounds[r].boot.empty()) boots.add(r, rounds[r].boot);
  }
  std::set<std::size_t> known;
  for (std::size_t r = 0; r < rounds.size(); ++r)
    if (!rounds[r].boot.empty()) known.insert(sets.of(r));
  std::vector<std::optional<std::size_t>> out(rounds.size());
  for (std::size_t r = 0; r < rounds.size(); ++r)
    if (const std::size_t machine = sets.of(r); known.contains(machine)) out[r] = machine;
  return out;
}

DeviceCount count_of(const std::vector<PeerRounds>& devices) {
  DeviceCount out;
  out.devices = devices.size();
  const auto machines = machines_of(devices);
  std::set<std::size_t> different;
  for (const auto& machine : machines)
    if (machine) different.insert(*machine);
  const bool known =
      std::all_of(machines.begin(), machines.end(), [](const auto& machine) { return machine.has_value(); });
  if (known) out.machines = different.size();
  if (known && out.machines == out.devices) return out;
  std::set<result::DeviceKind> kinds;
  for (const PeerRounds& device : devices) kinds.insert(result::device_kind(device.front()->device));
  if (kinds.size() > 1) {
    out.one = "device";
    out.many = "devices";
  } else if (kinds.contains(result::DeviceKind::gpu)) {
    out.one = "GPU";
    out.many = "GPUs";
  }
  return out;
}

std::string in_words(const DeviceCount& count) {
  std::string out = fmt::format("{} {}", count.devices, count.noun(count.devices));
  if (count.shared() && count.one != "node") out += " on " + result::counted(count.machines, "node");
  return out;
}

}  // namespace gpugauge::judge
