// What a command does differently as one of several that a launcher (mpirun, srun) started.
#pragma once

#include "cli/command.hpp"

namespace gpugauge::cli {

/// --device as the other rooms read it: "rank" becomes the index of this rank's own GPU, that of its number
/// among the node's ranks, or the only one that CUDA_VISIBLE_DEVICES shows it. Everything else stays. Throws
/// result::UsageError without a launcher, and where the node has fewer GPUs than ranks.
std::string chosen_device(const std::string& device, const stack::GpuReport& gpus);
/// How many GPUs are measured at the same time by `--device rank` on this node; 0 for one, and for any other
/// --device. Throws result::UsageError where the launcher does not tell.
int measured_together(const std::string& device);
/// True when several ranks of this node are to measure the same devices: one after another.
bool take_turns(const std::string& device);
/// Says, once on a node, when its ranks are to measure the same devices: they take turns.
void say_turns(const std::string& device);

/// A file that all ranks were given by one name, with host and rank in it; "" and "-" stay. As it is without
/// a launcher.
std::string own_file(const std::string& file);
/// The same for every KIND=FILE.
ReportArguments own_files(ReportArguments arguments);

}  // namespace gpugauge::cli
