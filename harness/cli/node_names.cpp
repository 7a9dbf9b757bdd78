#include "cli/node_names.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "judge/peer_hosts.hpp"

namespace gpugauge::cli {
namespace {

/// First folder below the one that was given; "" for a file that lies in none.
std::string folder_of(const FoundFile& found) {
  const std::size_t end = found.label.find('/');
  return found.in_a_folder && end != std::string::npos ? found.label.substr(0, end) : "";
}

/// Folders and machines that lie in each other.
class Proof {
 public:
  void add(const std::string& folder, std::size_t machine) {
    machines_[folder].insert(machine);
    folders_[machine].insert(folder);
  }
  bool refuted(const std::string& folder) const {
    const auto found = machines_.find(folder);
    return found != machines_.end() && !is_one(found->second);
  }
  bool enough() const {
    std::size_t proven = 0;
    for (const auto& [folder, machines] : machines_) proven += is_one(machines) ? 1 : 0;
    return proven > 1;
  }
  /// "" where no folder is that machine's.
  std::string folder_of(std::size_t machine) const {
    const auto found = folders_.find(machine);
    if (found == folders_.end() || found->second.size() != 1) return "";
    const std::string& folder = *found->second.begin();
    return refuted(folder) ? "" : folder;
  }

 private:
  bool is_one(const std::set<std::size_t>& machines) const {
    return machines.size() == 1 && folders_.at(*machines.begin()).size() == 1;
  }

  std::map<std::string, std::set<std::size_t>> machines_;  ///< by folder
  std::map<std::size_t, std::set<std::string>> folders_;   ///< by machine
};

}  // namespace

NodeNames names_by_folder(const std::vector<FoundFile>& files) {
  NodeNames names;
  for (const FoundFile& found : files) {
    const std::string folder = folder_of(found);
    names[found.file.string()] = folder.empty() ? found.label : folder;
  }
  return names;
}

NodeNames names_by_proof(const std::vector<FoundFile>& files, const judge::PeersInput& input) {
  NodeNames folders;
  for (const FoundFile& found : files) folders[found.file.string()] = folder_of(found);
  const auto machines = judge::machines_by_boot(input.rounds);
  Proof proof;
  for (std::size_t r = 0; r < input.rounds.size(); ++r)
    if (const std::string& folder = folders.at(input.rounds[r].file); machines[r] && !folder.empty())
      proof.add(folder, *machines[r]);
  NodeNames names;
  if (!proof.enough()) return names;
  const auto take = [&](const std::string& file, const std::optional<std::size_t>& machine) {
    const std::string& folder = folders[file];
    const std::string name = machine ? proof.folder_of(*machine) : proof.refuted(folder) ? "" : folder;
    if (!name.empty()) names[file] = name;
  };
  for (std::size_t r = 0; r < input.rounds.size(); ++r) take(input.rounds[r].file, machines[r]);
  for (const judge::UnreadFile& file : input.unread) take(file.file, std::nullopt);
  return names;
}

std::string boot_in_several_folders(const std::vector<FoundFile>& files, const judge::PeersInput& input) {
  NodeNames folder;
  for (const FoundFile& found : files) folder[found.file.string()] = folder_of(found);
  std::map<std::string, std::set<std::string>> folders;  // by boot
  for (const judge::PeerRound& round : input.rounds)
    if (const std::string& name = folder.at(round.file);
        round.device == "host" && !round.boot.empty() && !name.empty())
      folders[round.boot].insert(name);
  std::size_t most = 0;
  for (const auto& [boot, of_boot] : folders) most = std::max(most, of_boot.size());
  if (most < 2) return "";
  return fmt::format(
      "Runs of the host in {} folders are of one boot and count as one node; where each folder is a node, "
      "--by-folder compares them so.",
      most);
}

void name_nodes(judge::PeersInput& input, const NodeNames& names) {
  for (judge::PeerRound& round : input.rounds)
    if (round.device == "host") round.node = "host of " + names.at(round.file);
  call_nodes(input, names);
}

void call_nodes(judge::PeersInput& input, const NodeNames& names) {
  std::map<std::string, std::set<std::string>> devices;
  for (const judge::PeerRound& round : input.rounds)
    if (const auto name = names.find(round.file); name != names.end())
      devices[name->second].insert(round.device);
  for (judge::PeerRound& round : input.rounds) {
    const auto name = names.find(round.file);
    if (name == names.end()) continue;
    round.host = name->second;
    round.label =
        devices[round.host].size() == 1 ? round.host : fmt::format("{} {}", round.host, round.device);
  }
  for (judge::UnreadFile& file : input.unread)
    if (const auto name = names.find(file.file); name != names.end()) file.label = file.host = name->second;
}

NodeNames names_of_runs(const judge::PeersInput& input) {
  NodeNames names;
  for (const judge::PeerRound& round : input.rounds)
    names[round.file] = round.host.empty() ? round.label : round.host;
  return names;
}

}  // namespace gpugauge::cli
