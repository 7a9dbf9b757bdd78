// What the nodes of a fleet are called when their folders name them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/run_files.hpp"
#include "judge/judge_peers.hpp"

namespace gpugauge::cli {

/// File -> name of its node.
using NodeNames = std::map<std::string, std::string>;

/// The first folder below the one that was given; a file that stands directly in it, or was named itself, is
/// called by its own name.
NodeNames names_by_folder(const std::vector<FoundFile>& files);

/// Nodes are what their folders are called. Hosts are told apart by that and not by their boot, which
/// containers of one machine share and a reboot changes; cards keep their own names. `names` must hold every
/// file of `input`.
void name_nodes(judge::PeersInput& input, const NodeNames& names);

}  // namespace gpugauge::cli
