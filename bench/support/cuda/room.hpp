// Room on the GPU for what a benchmark needs.
#pragma once

#include <cstddef>
#include <string>

#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Returns where `bytes` of device memory can be had now and leave a tenth of the GPU's memory free. Else
/// ends the body: skipped where a GPU of this size never has so much, unavailable where something else holds
/// what this one has. Throws Skipped, CudaError.
void require_room(Trial& trial, std::size_t bytes);

/// True where a GPU of this size has room for `bytes` while nothing else uses it: what sizes are chosen by,
/// so that who else is there decides whether something is measured and never what. Throws CudaError.
bool card_has_room(std::size_t bytes);

/// Ends the body for want of `bytes`, of which `reason` tells, in the same way. Throws Skipped, CudaError.
[[noreturn]] void end_for_room(Trial& trial, std::string reason, std::size_t bytes);

}  // namespace gpugauge::bench::cuda
