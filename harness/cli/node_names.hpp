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

/// File of a run -> what it saw of its machine.
using Sightings = std::map<std::string, judge::Sighting>;

/// The first folder below the one that was given; for a file that stands directly in that, its own name, as
/// where the shell wrote out results/*. A file that was named itself is called by its own name.
NodeNames names_by_folder(const std::vector<FoundFile>& files);

/// The folder that names a file's node: the first one below that which was given; "" for a file that lies in
/// none.
std::string folder_of(const FoundFile& found);

/// Throws result::UsageError where the name of a node's folder comes again below another node's: a copy of
/// older runs, of which the folder around it would take the place of them all.
void refuse_nested_nodes(const std::vector<FoundFile>& files);

/// Throws result::UsageError where a name of names_by_folder() stands for two machines: its runs cannot be of
/// one (judge::are_two_machines), or it is that of two folders, or of the only folder that was given, and
/// nothing tells that it is one machine. `seen` has each file of a run.
void refuse_shared_names(const std::vector<FoundFile>& files, const std::vector<judge::PeerRound>& rounds,
                         const Sightings& seen);

/// The same where the runs bear it out: the first folder is a node's name when all runs in it are of one
/// machine, none of that machine's lies in another folder, and two folders or more are so. By boots and
/// devices (judge::machines_by_boot). Files that cannot be read are called as their folder, unless that is
/// refuted. Of several folders that were given, each may be a node's: its own name counts for the files that
/// lie directly in it, and those that it does not name are called by their path. Nobody
/// else is in the answer: their files tell them apart, and name no machine.
NodeNames names_by_proof(const std::vector<FoundFile>& files, const judge::PeersInput& input);

/// Why a node is unread whose folder holds nothing (find_files, `without`).
inline constexpr const char* no_run_in_folder =
    "the folder holds no *.json: the node was not measured, or its run was not copied";

/// One sentence on the nodes' folders that hold files, and no run among them; "" where there are none.
std::string folders_of_no_run(const std::vector<FoundFile>& files, const judge::PeersInput& input);

/// One sentence where the host's runs of one boot lie in several folders, and so count as one node; ""
/// elsewhere.
std::string boot_in_several_folders(const std::vector<FoundFile>& files, const judge::PeersInput& input);

/// One sentence where the host's runs of one machine are of several boots, and so count as several nodes; ""
/// elsewhere, and where no run says which machine it is of.
std::string host_in_several_boots(const judge::PeersInput& input, const Sightings& seen);

/// Nodes are what their folders are called. Hosts are told apart by that and not by their boot, which
/// containers of one machine share and a reboot changes; cards keep their own names. `names` must hold every
/// file of `input`.
void name_nodes(judge::PeersInput& input, const NodeNames& names);

/// Names for people and launchers only: who is who stays as it was. `names` need not hold every file.
void call_nodes(judge::PeersInput& input, const NodeNames& names);

/// Run file -> what its node is called where a fact of it is odd: its machine's name, or its own label.
NodeNames names_of_runs(const judge::PeersInput& input);

}  // namespace gpugauge::cli
