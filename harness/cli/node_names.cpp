#include "cli/node_names.hpp"

#include <set>

#include <fmt/format.h>

namespace gpugauge::cli {

NodeNames names_by_folder(const std::vector<FoundFile>& files) {
  NodeNames names;
  for (const FoundFile& found : files)
    names[found.file.string()] =
        found.in_a_folder ? found.label.substr(0, found.label.find('/')) : found.label;
  return names;
}

void name_nodes(judge::PeersInput& input, const NodeNames& names) {
  std::map<std::string, std::set<std::string>> devices;
  for (judge::PeerRound& round : input.rounds) {
    const std::string& name = names.at(round.file);
    if (round.device == "host") round.node = "host of " + name;
    devices[name].insert(round.device);
  }
  for (judge::PeerRound& round : input.rounds) {
    const std::string& name = names.at(round.file);
    round.label = devices[name].size() == 1 ? name : fmt::format("{} {}", name, round.device);
  }
  for (judge::UnreadFile& file : input.unread) file.label = names.at(file.file);
}

}  // namespace gpugauge::cli
