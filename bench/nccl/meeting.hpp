// Meeting the other processes, where a launcher started several: before CUDA makes a context and before NCCL
// makes a communicator.
#pragma once

#include <optional>
#include <string>

#include "support/ranks/channel.hpp"

namespace gpugauge::bench::nccl {

/// Where NCCL's log of this number goes: a file in a folder of this process's own, as NCCL opens whatever
/// lies there. "" when the user sends the log elsewhere, or no such folder can be made.
std::string log_file(int number);

/// The channel to the other processes; nullptr for a process that stands alone. Valid once the family's
/// environment has been asked whether it is available.
ranks::Channel* channel();
const std::optional<ranks::Launch>& launch();

/// Ends the process within 20 s, so that a rank that waits inside a library for one that is gone does not
/// stay.
void end_soon();

}  // namespace gpugauge::bench::nccl
