// Encodes the tensor map by which TMA addresses a matrix. It calls the loaded driver: libcuda is not linked.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "kernels/gemm/tensor_map.hpp"

namespace gpugauge::kernels::gemm {

/// *map = the tensor map of `matrix`: 128-byte swizzle, zeros outside the matrix. cudaErrorInvalidValue when
/// it cannot be boxed. cudaErrorSymbolNotFound when the driver has no cuTensorMapEncodeTiled (before CUDA
/// 12.0).
cudaError_t encode(const BoxedMatrix& matrix, CUtensorMap* map);

}  // namespace gpugauge::kernels::gemm
