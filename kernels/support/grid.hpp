// Grids for streaming kernels: enough blocks to fill every SM, each striding over the data.
#pragma once

#include <cuda_runtime_api.h>

namespace gpugauge::kernels {

/// SMs of the current device; 0 when it cannot be read (the launch that follows then reports the error).
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

}  // namespace gpugauge::kernels
