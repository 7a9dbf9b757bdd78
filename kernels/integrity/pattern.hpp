// Memory that holds its own addresses. A bijection makes every 8-byte word from its index, so no two words
// are equal. A word in the wrong place is then found like one with a wrong bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/integrity/faults.hpp"

namespace gpugauge::kernels::integrity {

/// words[i] = pattern(i, inverse) for i < count, with 16-byte accesses. cudaErrorInvalidValue unless 16-byte
/// aligned. Work: 8 count bytes written.
cudaError_t write_pattern(std::uint64_t* words, std::size_t count, bool inverse, cudaStream_t stream);

/// Records every word that differs in *faults (device), and counts all words checked. Work: 8 count bytes
/// read.
cudaError_t check_pattern(const std::uint64_t* words, std::size_t count, bool inverse, Faults* faults,
                          cudaStream_t stream);

/// *faults (device) = Faults{}, without a kernel. Returns the copy's error.
cudaError_t reset_faults(Faults* faults, cudaStream_t stream);

}  // namespace gpugauge::kernels::integrity
