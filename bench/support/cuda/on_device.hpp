// Work on a GPU other than the first, and whether something else has it.
#pragma once

#include <optional>

#include <cuda_runtime_api.h>

#include "support/cuda/device.hpp"
#include "support/cuda/error.hpp"

namespace gpugauge::bench::cuda {

/// Makes `device` current for its own lifetime; device 0 is current afterwards, also where it throws.
class OnDevice {
 public:
  /// Throws OutOfMemory or CudaError: the first use of a device makes its context.
  explicit OnDevice(int device) {
    const cudaError_t code = cudaSetDevice(device);
    if (code != cudaSuccess) cudaSetDevice(0);
    check(code, "choosing a GPU");
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaSetDevice(0); }
};

/// The memory of `device`; nullopt where it does not tell, because something else has it or all its memory.
/// Throws CudaError for every other error.
inline std::optional<GpuMemory> memory_unless_in_use(int device) {
  try {
    const OnDevice current(device);
    return memory_now();
  } catch (const OutOfMemory&) {
    return std::nullopt;
  } catch (const CudaError& error) {
    if (means_in_use(error.code())) return std::nullopt;
    throw;
  }
}

}  // namespace gpugauge::bench::cuda
