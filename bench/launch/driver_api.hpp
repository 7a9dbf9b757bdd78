// cuLaunchKernel without linking the driver library.
#pragma once

#include "support/cuda/driver_entry.hpp"

namespace gpugauge::bench::launch {

using LaunchKernel = decltype(&::cuLaunchKernel);

/// Throws CudaError when the driver has no such function.
inline LaunchKernel driver_launch() {
  return cuda::driver_entry<LaunchKernel>("cuLaunchKernel");
}

/// The driver's handle of a kernel of this executable.
inline CUfunction driver_function(const void* kernel) {
  cudaFunction_t function = nullptr;
  cuda::check(cudaGetFuncBySymbol(&function, kernel), "looking up a kernel");
  return function;
}

}  // namespace gpugauge::bench::launch
