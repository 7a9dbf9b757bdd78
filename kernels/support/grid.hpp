// Grids for streaming kernels: enough blocks to fill every SM, each striding over the data.
#pragma once

#include <algorithm>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels {

/// SMs of the current device; 0 when it cannot be read (the following launch then reports the error).
inline int current_sm_count() {
  int device = 0;
  int count = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) return 0;
  return count;
}

/// Compute capability of the current device, 80 for 8.0; 0 when it cannot be read.
inline int current_compute_capability() {
  int device = 0;
  int major = 0;
  int minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) return 0;
  if (cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) return 0;
  return major * 10 + minor;
}

/// Whether the current device supports what `kernel` needs compute capability `least` for (80 for 8.0), and
/// this build has the code. cudaErrorNotSupported on an older device. cudaErrorNoKernelImageForDevice where
/// the build has only code for older architectures that the device also runs (8.0's on 8.9, and PTX on
/// anything); the kernel is empty in that code.
template <typename... Parameters>
cudaError_t supports(void (*kernel)(Parameters...), int least) {
  if (current_compute_capability() < least) return cudaErrorNotSupported;
  cudaFuncAttributes code{};
  if (const cudaError_t status = cudaFuncGetAttributes(&code, kernel); status != cudaSuccess) return status;
  return std::min(code.binaryVersion, code.ptxVersion) < least ? cudaErrorNoKernelImageForDevice
                                                               : cudaSuccess;
}

/// Launch bounds of the variant of a kernel that lacks the instructions it is made of: below any number of
/// threads that such a kernel is launched with.
inline constexpr int without_instructions = 32;

/// Whether the code of `kernel` that runs here has its instructions, and so takes `threads` threads: cudaSuccess,
/// or cudaErrorNoKernelImageForDevice. Code for one GPU alone (sm_100a) and code without its instructions
/// (sm_100, PTX) have the same versions, so supports() cannot tell them apart; their launch bounds can.
template <typename... Parameters>
cudaError_t has_instructions(void (*kernel)(Parameters...), int threads) {
  cudaFuncAttributes code{};
  if (const cudaError_t status = cudaFuncGetAttributes(&code, kernel); status != cudaSuccess) return status;
  return code.maxThreadsPerBlock < threads ? cudaErrorNoKernelImageForDevice : cudaSuccess;
}

}  // namespace gpugauge::kernels
