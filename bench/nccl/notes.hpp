// What is kept of NCCL's log with a result.
#pragma once

#include "nccl/world.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::nccl {

/// Adds the note "ranks", and from the log "nccl.version", "nccl.transport", "nccl.network", "nccl.plugin",
/// "nccl.paths", "nccl.channels", "nccl.nvls_channels", "nccl.warnings" (the first five) and "nccl.reasons"
/// (Log::reasons, the first twelve), where the log has them. "nccl.log" says why it was not read.
void add_notes(Trial& trial, World& world);

}  // namespace gpugauge::bench::nccl
