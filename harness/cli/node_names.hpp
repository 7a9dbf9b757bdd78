// What the nodes of a fleet are called when their folders name them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/run_files.hpp"
#include "judge/judge_peers.hpp"
#include "judge/one_machine.hpp"

namespace gpugauge::cli {

/// File -> name of its node.
using NodeNames = std::map<std::string, std::string>;

/// The first folder below the one that was given; a file that stands directly in it, or was named itself, is
/// called by its own name.
NodeNames names_by_folder(const std::vector<FoundFile>& files);

/// The folder that names a file's node: the first one below that which was given; "" for a file that lies in
/// none.
std::string folder_of(const FoundFile& found);

/// Throws result::UsageError where the name of a node's folder comes again below another node's: a copy of
/// older runs, of which the folder around it would take the place of them all.
void refuse_nested_nodes(const std::vector<FoundFile>& files);

/// Throws result::UsageError where a folder's name stands for two machines: its runs cannot be of one
/// (judge::are_two_machines), or it is there below two of the given folders and nothing tells that it is one
/// machine. `seen` has each file of a run.
void refuse_shared_names(const std::vector<FoundFile>& files, const judge::PeersInput& input,
                         const std::map<std::string, judge::Sighting>& seen);

/// The same where the runs bear it out: the first folder is a node's name when all runs in it are of one
/// machine, none of that machine's lies in another folder, and two folders or more are so. By boots and
/// devices (judge::machines_by_boot). Files that cannot be read are called as their folder, unless that is
/// refuted. Nobody else is in the answer: their files tell them apart, and name no machine.
NodeNames names_by_proof(const std::vector<FoundFile>& files, const judge::PeersInput& input);

/// One sentence where the host's runs of one boot lie in several folders, and so count as one node; ""
/// elsewhere.
std::string boot_in_several_folders(const std::vector<FoundFile>& files, const judge::PeersInput& input);

/// Nodes are what their folders are called. Hosts are told apart by that and not by their boot, which
/// containers of one machine share and a reboot changes; cards keep their own names. `names` must hold every
/// file of `input`.
void name_nodes(judge::PeersInput& input, const NodeNames& names);

/// Names for people and launchers only: who is who stays as it was. `names` need not hold every file.
void call_nodes(judge::PeersInput& input, const NodeNames& names);

/// Run file -> what its node is called where a fact of it is odd: its machine's name, or its own label.
NodeNames names_of_runs(const judge::PeersInput& input);

}  // namespace gpugauge::cli
