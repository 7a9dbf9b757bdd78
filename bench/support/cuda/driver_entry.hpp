// Functions of the driver without linking its library: the runtime returns their addresses.
#pragma once

#include <string>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "support/cuda/error.hpp"

namespace gpugauge::bench::cuda {

/// The driver's function `name` as it is in CUDA 12.0. Throws CudaError when the driver has no such function.
template <typename Function>
Function driver_entry(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const std::string doing = std::string("asking the driver for ") + name;
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found), doing.c_str());
#else
  check(cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found), doing.c_str());
#endif
  if (found != cudaDriverEntryPointSuccess || address == nullptr)
    throw CudaError(cudaErrorSymbolNotFound, std::string("the driver has no function ") + name);
  return reinterpret_cast<Function>(address);
}

/// Throws for the driver's result code. Its numbers equal those of the runtime for every error of launching
/// and of loading code.
inline void check_driver(CUresult code, const char* doing) {
  if (code != CUDA_SUCCESS) check(static_cast<cudaError_t>(code), doing);
}

}  // namespace gpugauge::bench::cuda
