#include "kernels/gemm/any_product.hpp"
#include "kernels/gemm/sampled_launch.cuh"
#include "kernels/gemm/tiling.hpp"
#include "kernels/support/comparison.cuh"

namespace gpugauge::kernels::gemm {
namespace {

constexpr int threads = 128;

__global__ void error_kernel(Matrix a, Matrix b, Matrix c, int m, int n, int k, int samples, int first,
                             std::uint64_t seed, Comparison* comparison) {
  const int column = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (column >= n) return;
  Tally tally;
  const int sample = first + static_cast<int>(blockIdx.y);
  tally.error(product_error(a, b, c, sampled_row(sample, samples, m, seed), column, k));
  tally.hand_in(comparison);
}

}  // namespace

cudaError_t sampled_product_error(const Matrix& a, const Matrix& b, const Matrix& c, int m, int n, int k,
                                  int samples, std::uint64_t seed, Comparison* comparison,
                                  cudaStream_t stream) {
  return launch_sampled<threads>(m, n, k, samples, comparison, stream, [&](dim3 grid, int first) {
    error_kernel<<<grid, threads, 0, stream>>>(a, b, c, m, n, k, samples, first, seed, comparison);
  });
}

}  // namespace gpugauge::kernels::gemm
