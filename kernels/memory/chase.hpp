// Dependent loads by one thread: the latency of a level of the memory hierarchy.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::memory {

/// Which cache may serve a load first.
enum class ChaseLevel {
  l1,  ///< through L1
  l2,  ///< past L1: from L2, or from device memory where L2 does not hold the line
};

/// Writes the chain. For i < elements, byte i * stride of `memory` gets the address of byte next[i] * stride;
/// no other bytes are written. Both arrays are in device memory. `stride` is in bytes, a multiple of 8, else
/// cudaErrorInvalidValue.
cudaError_t scatter_chain(const std::uint32_t* next, std::uint32_t elements, std::size_t stride, void* memory,
                          cudaStream_t stream);

/// One thread follows `steps` loads from the address in *at (device memory). It stores the final address in
/// *at, so that the next call continues there. Work: `steps` dependent loads.
cudaError_t chase(std::uint64_t* at, std::uint32_t steps, ChaseLevel level, cudaStream_t stream);

/// One thread follows the whole cycle of `elements` loads from `memory`, `rounds` times, past L1. cycles[i] =
/// the fewest SM clock cycles that the load from place i took in any round after the first, which only warms
/// L2. rounds >= 2, else cudaErrorInvalidValue. The cost of reading the cycle counter is included, equally
/// for every line.
cudaError_t chase_lines(const void* memory, std::uint32_t elements, std::size_t stride, int rounds,
                        std::uint32_t* cycles, cudaStream_t stream);

}  // namespace gpugauge::kernels::memory
