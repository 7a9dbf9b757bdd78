// cuLaunchKernel without linking the driver library: the runtime returns its address.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "support/cuda/error.hpp"

namespace gpugauge::bench::launch {

using LaunchKernel = decltype(&::cuLaunchKernel);

/// Throws CudaError when the driver has no such function.
inline LaunchKernel driver_launch() {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  cuda::check(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &address, 12000, cudaEnableDefault, &found),
              "asking the driver for cuLaunchKernel");
#else
  cuda::check(cudaGetDriverEntryPoint("cuLaunchKernel", &address, cudaEnableDefault, &found),
              "asking the driver for cuLaunchKernel");
#endif
  if (found != cudaDriverEntryPointSuccess || address == nullptr)
    throw cuda::CudaError(cudaErrorSymbolNotFound, "the driver has no function cuLaunchKernel");
  return reinterpret_cast<LaunchKernel>(address);
}

/// The driver's handle of a kernel of this executable.
inline CUfunction driver_function(const void* kernel) {
  cudaFunction_t function = nullptr;
  cuda::check(cudaGetFuncBySymbol(&function, kernel), "looking up a kernel");
  return function;
}

/// Throws for the driver's result code. Its numbers equal those of the runtime for every launch error.
inline void check_driver(CUresult code, const char* doing) {
  if (code != CUDA_SUCCESS) cuda::check(static_cast<cudaError_t>(code), doing);
}

}  // namespace gpugauge::bench::launch
