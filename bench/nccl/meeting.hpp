// Meets the other processes, where a launcher started several. This happens before CUDA makes a context and
// NCCL makes a communicator.
#pragma once

#include <optional>
#include <string>

#include "support/ranks/channel.hpp"

namespace gpugauge::bench::nccl {

/// Path of NCCL's log number `number`: a file in a folder of this process's own, because NCCL opens any
/// existing file. "" when the user sends the log elsewhere, or the folder cannot be made.
std::string log_file(int number);

/// The channel to the other processes; nullptr for a process that runs alone. Valid once the family's
/// environment was asked for availability.
ranks::Channel* channel();
const std::optional<ranks::Launch>& launch();

/// Ends the process within limits().end, so that a rank does not wait for ever inside a library for one that is gone.
void end_soon();

}  // namespace gpugauge::bench::nccl
