#include <cstdint>

#include "kernels/gemm/simt_ladder.cuh"
#include "kernels/gemm/simt_ladder.hpp"

namespace gpugauge::kernels::gemm {
namespace {

using Kernel = void (*)(const float*, const float*, float*, int, int, int);

cudaError_t launch(Kernel kernel, const float* a, const float* b, float* c, int m, int n, int k,
                   cudaStream_t stream) {
  if (m < 1 || n < 1 || k < 1) return cudaErrorInvalidValue;
  const std::int64_t rows = (std::int64_t{m} + simt::ladder_tile - 1) / simt::ladder_tile;
  const std::int64_t columns = (std::int64_t{n} + simt::ladder_tile - 1) / simt::ladder_tile;
  if (rows * columns > 0x7fffffff) return cudaErrorInvalidValue;
  kernel<<<static_cast<unsigned>(rows * columns), simt::ladder_threads, 0, stream>>>(a, b, c, m, n, k);
  return cudaGetLastError();
}

}  // namespace

cudaError_t simt_naive(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  return launch(simt::naive_kernel, a, b, c, m, n, k, stream);
}

cudaError_t simt_shared_tile(const float* a, const float* b, float* c, int m, int n, int k,
                             cudaStream_t stream) {
  return launch(simt::shared_tile_kernel, a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
