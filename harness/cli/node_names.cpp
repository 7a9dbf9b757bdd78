#include "cli/node_names.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "judge/peer_hosts.hpp"
#include "judge/reasons.hpp"
#include "result/counted.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

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

/// A folder that was given, by whatever name.
fs::path place_of(const fs::path& folder) {
  std::error_code unknown;
  const fs::path place = fs::weakly_canonical(fs::absolute(folder, unknown), unknown);
  return unknown ? folder : place;
}

/// Runs whose folders have one name: are they of one machine?
class OneName {
 public:
  OneName(const std::vector<judge::PeerRound>& rounds, const Sightings& seen)
      : rounds_(rounds), seen_(seen) {}

  /// `folder`: the node's.
  void add(const fs::path& folder, std::size_t run) {
    in_[folder].push_back(run);
    all_.push_back(run);
  }

  /// Throws result::UsageError where they cannot be.
  void require_possible() {
    std::sort(all_.begin(), all_.end(),
              [&](std::size_t a, std::size_t b) { return sighting(a).began < sighting(b).began; });
    for (std::size_t i = 0; i < all_.size(); ++i)
      for (std::size_t k = i + 1; k < all_.size(); ++k) {
        if (sighting(all_[k]).began > sighting(all_[i]).ended + judge::installed_anew) break;
        if (judge::are_two_machines(sighting(all_[i]), sighting(all_[k])))
          refuse(all_[i], all_[k], "cannot be of one machine");
      }
  }

  /// The same where they lie in several folders, and nothing tells that they are.
  void require_told() const {
    for (const auto& [folder, runs] : in_)
      if (const auto& first = in_.begin()->second; &first != &runs) require_told(first, runs);
  }
  /// The same for each of them by itself.
  void require_each_told() const {
    for (const std::size_t run : all_)
      if (run != all_.front()) require_told({all_.front()}, {run});
  }

 private:
  const judge::Sighting& sighting(std::size_t run) const { return seen_.at(rounds_[run].file); }

  void require_told(const std::vector<std::size_t>& some, const std::vector<std::size_t>& others) const {
    if (!are_told(some, others))
      refuse(some.front(), others.front(), "nothing in them tells that they are of one machine");
  }

  bool are_told(const std::vector<std::size_t>& some, const std::vector<std::size_t>& others) const {
    return std::any_of(some.begin(), some.end(), [&](std::size_t a) {
      return std::any_of(others.begin(), others.end(), [&](std::size_t b) {
        return judge::are_one_machine(sighting(a), sighting(b)) || rounds_[a].node == rounds_[b].node;
      });
    });
  }

  [[noreturn]] void refuse(std::size_t one, std::size_t other, const char* why) const {
    const fs::path file = rounds_[one].file;
    const bool together = file.parent_path() == fs::path(rounds_[other].file).parent_path();
    throw result::UsageError(fmt::format(
        "{} and {} lie in {}, and {}: give the folders of two machines two names, or leave --by-folder out",
        file.string(), rounds_[other].file, together ? "one folder" : "folders of one name", why));
  }

  const std::vector<judge::PeerRound>& rounds_;
  const Sightings& seen_;
  std::map<fs::path, std::vector<std::size_t>> in_;  ///< by folder of a node, as places in the rounds
  std::vector<std::size_t> all_;
};

/// The folder that is a file's node; "" for a file that was named.
fs::path node_folder(const FoundFile& found) {
  if (!found.in_a_folder) return {};
  std::error_code unknown;
  const fs::path root = fs::absolute(found.root, unknown).lexically_normal();
  if (const std::string folder = folder_of(found); !folder.empty()) return root / folder;
  return root.has_filename() ? root : root.parent_path();
}

}  // namespace

std::string folder_of(const FoundFile& found) {
  const std::size_t end = found.label.find('/');
  return found.in_a_folder && end != std::string::npos ? found.label.substr(0, end) : "";
}

void refuse_nested_nodes(const std::vector<FoundFile>& files) {
  std::map<fs::path, std::set<std::string>> nodes;  // by what was given
  for (const FoundFile& found : files)
    if (const std::string folder = folder_of(found); !folder.empty()) nodes[found.root].insert(folder);
  for (const FoundFile& found : files) {
    const fs::path folders = fs::path(found.label).parent_path();
    if (folders.empty()) continue;
    for (auto part = std::next(folders.begin()); part != folders.end(); ++part)
      if (const std::string name = part->string();
          name != *folders.begin() && nodes[found.root].contains(name))
        throw result::UsageError(
            fmt::format("{0}/{2} and {1} are folders of one name, so that {0} is no node and its runs would "
                        "be called by it: move it out of {3}, or give the folders without it",
                        (found.root / *folders.begin()).string(), (found.root / name).string(), name,
                        found.root.string()));
  }
}

void refuse_shared_names(const std::vector<FoundFile>& files, const std::vector<judge::PeerRound>& rounds,
                         const Sightings& seen) {
  std::map<std::string, const FoundFile*> found;
  std::set<fs::path> given;
  for (const FoundFile& file : files) {
    found[file.file.string()] = &file;
    given.insert(place_of(file.root));
  }
  std::map<std::string, OneName> names;
  std::set<std::string> doubtful;  // a folder by itself may hold the runs of one machine, or of each one run
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    const FoundFile& file = *found.at(rounds[r].file);
    const fs::path folder = node_folder(file);
    if (folder.empty()) continue;
    names.try_emplace(folder.filename().string(), rounds, seen).first->second.add(place_of(folder), r);
    if (given.size() == 1 && folder_of(file).empty()) doubtful.insert(folder.filename().string());
  }
  for (auto& [name, runs] : names) {
    runs.require_possible();
    runs.require_told();
    if (doubtful.contains(name)) runs.require_each_told();
  }
}

NodeNames names_by_folder(const std::vector<FoundFile>& files) {
  NodeNames names;
  for (const FoundFile& found : files) {
    const fs::path folder = node_folder(found);
    names[found.file.string()] = folder.empty() ? found.label : folder.filename().string();
  }
  return names;
}

NodeNames names_by_proof(const std::vector<FoundFile>& files, const judge::PeersInput& input) {
  std::set<fs::path> given;
  for (const FoundFile& found : files) given.insert(found.root);
  NodeNames folders;
  NodeNames names;
  for (const FoundFile& found : files) {
    std::string folder = folder_of(found);
    // Of several folders, as where the shell wrote out results/*, each may be a node's.
    if (folder.empty() && found.in_a_folder && given.size() > 1) {
      folder = node_folder(found).filename().string();
      names[found.file.string()] = (found.root / found.label).lexically_normal().string();
    }
    folders[found.file.string()] = std::move(folder);
  }
  const auto machines = judge::machines_by_boot(input.rounds);
  Proof proof;
  for (std::size_t r = 0; r < input.rounds.size(); ++r)
    if (const std::string& folder = folders.at(input.rounds[r].file); machines[r] && !folder.empty())
      proof.add(folder, *machines[r]);
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

std::string folders_of_no_run(const std::vector<FoundFile>& files, const judge::PeersInput& input) {
  std::set<std::string> taken;
  for (const judge::PeerRound& round : input.rounds) taken.insert(round.file);
  for (const judge::UnreadFile& file : input.unread) taken.insert(file.file);
  std::map<std::string, bool> holds;
  for (const FoundFile& found : files)
    if (const std::string folder = folder_of(found); !folder.empty())
      holds[folder] = holds[folder] || taken.contains(found.file.string());
  std::vector<std::string> none;
  for (const auto& [folder, any] : holds)
    if (!any) none.push_back(folder);
  if (none.empty()) return "";
  return fmt::format("No run in {} ({}): a node of which that is the folder was not measured.",
                     result::counted(none.size(), "folder"), judge::some_of(none));
}

std::string boot_in_several_folders(const std::vector<FoundFile>& files, const judge::PeersInput& input) {
  NodeNames folder;
  for (const FoundFile& found : files) folder[found.file.string()] = folder_of(found);
  std::map<std::string, std::set<std::string>> folders;  // by boot
  for (const judge::PeerRound& round : input.rounds)
    if (const std::string& name = folder.at(round.file);
        result::is_host(round.device) && !round.boot.empty() && !name.empty())
      folders[round.boot].insert(name);
  std::size_t most = 0;
  for (const auto& [boot, of_boot] : folders) most = std::max(most, of_boot.size());
  if (most < 2) return "";
  return fmt::format(
      "Runs of the host in {} folders are of one boot and count as one node; where each folder is a node, "
      "--by-folder compares them so.",
      most);
}

std::string host_in_several_boots(const judge::PeersInput& input, const Sightings& seen) {
  std::map<std::string, std::set<std::string>> nodes;  // by identity
  for (const judge::PeerRound& round : input.rounds)
    if (const auto found = seen.find(round.file);
        result::is_host(round.device) && found != seen.end() && !found->second.identity.empty())
      nodes[found->second.identity].insert(round.node);
  const auto several = static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const auto& one) { return one.second.size() > 1; }));
  if (several == 0) return "";
  return fmt::format(
      "Runs of the host of {} are of several boots, and each boot counts as a node, so that none of them "
      "confirms "
      "another; where each folder is a node, --by-folder compares them so.",
      result::counted(several, "machine"));
}

void name_nodes(judge::PeersInput& input, const NodeNames& names) {
  for (judge::PeerRound& round : input.rounds)
    if (result::is_host(round.device)) round.node = "host of " + names.at(round.file);
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
