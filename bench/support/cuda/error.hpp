// A failed CUDA call as an exception that a user can read.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

#include "support/gpu_room.hpp"

namespace gpugauge::bench::cuda {

/// what(): the operation, the error's name and code, what it means here and what to do.
class CudaError : public std::runtime_error {
 public:
  /// `what`: the sentences for the user.
  CudaError(cudaError_t code, const std::string& what);
  /// The code that the runtime returned; never cudaSuccess.
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Too little memory on the device.
using OutOfMemory = OutOfGpuMemory;

/// "cudaErrorNoDevice (100)".
std::string name_of(cudaError_t code);
/// "cudaErrorNoDevice (100): meaning and next step"; the runtime's own text for a code without an
/// explanation.
std::string explain(cudaError_t code);

/// Whether something else that uses a GPU makes it answer so, as long as it does: no memory is left, or nobody
/// else is let in.
constexpr bool means_in_use(cudaError_t code) {
  return code == cudaErrorMemoryAllocation || code == cudaErrorDevicesUnavailable;
}

/// Throws OutOfMemory for cudaErrorMemoryAllocation, LacksCode for cudaErrorNoKernelImageForDevice, and
/// CudaError for every other code but cudaSuccess. `doing` names the action: "launching the copy kernel".
void check(cudaError_t code, const char* doing);
/// check() for an allocation of `bytes` of device memory.
void check_allocation(cudaError_t code, const char* doing, std::size_t bytes);
/// check() for page-locked memory, which is the host's: throws std::bad_alloc with a sentence when there is
/// too little.
void check_pinned(cudaError_t code, const char* doing);

}  // namespace gpugauge::bench::cuda
