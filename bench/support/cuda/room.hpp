// Checks that the GPU has room for what a benchmark needs.
#pragma once

#include <cstddef>
#include <string>

#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Returns where `bytes` of device memory can be allocated now while a tenth of the GPU's memory stays free.
/// Otherwise ends the body: skipped where a GPU of this size never has that much, unavailable where something
/// else holds it. Throws Skipped, CudaError.
void require_room(Trial& trial, std::size_t bytes);

/// As require_room(), for a benchmark that also fills `host_bytes` of the host's memory. Skipped where the host, or its
/// control group, never has room for them, and unavailable where others use it: the kernel would end the process without
/// a word. Where host and GPU share their
/// memory both must fit together. Throws Skipped, CudaError.
void require_room_with_host(Trial& trial, std::size_t bytes, std::size_t host_bytes);

/// True where an otherwise idle GPU of this size has room for `bytes`. Choose sizes by this, so that other
/// users of the GPU decide whether something is measured, and never what. Throws CudaError.
bool card_has_room(std::size_t bytes);

/// Ends the body for lack of `bytes`, as require_room() does; `reason` is the sentence. Throws Skipped,
/// CudaError.
[[noreturn]] void end_for_room(Trial& trial, std::string reason, std::size_t bytes);

}  // namespace gpugauge::bench::cuda
