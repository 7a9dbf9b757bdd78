// Memory that holds its own addresses: every 8-byte word is made of its place by a bijection, so that no two
// words are alike and one that lies in the wrong place is found like one with a wrong bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/integrity/faults.hpp"

namespace gpugauge::kernels::integrity {

/// words[i] = pattern(i, inverse) for i < count, 16 bytes a thread and access; 16-byte aligned, else
/// cudaErrorInvalidValue. Work: 8 count bytes written.
cudaError_t write_pattern(std::uint64_t* words, std::size_t count, bool inverse, cudaStream_t stream);

/// *faults (device) gets every word that differs, and counts all that it looked at. Work: 8 count bytes read.
cudaError_t check_pattern(const std::uint64_t* words, std::size_t count, bool inverse, Faults* faults,
                          cudaStream_t stream);

/// *faults (device) = Faults{}, by no kernel. Returns the copy's error.
cudaError_t reset_faults(Faults* faults, cudaStream_t stream);

}  // namespace gpugauge::kernels::integrity
