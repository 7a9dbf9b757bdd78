#include "kernels/gemm/element_error.hpp"
#include "kernels/gemm/reference.hpp"
#include "kernels/gemm/sampled_launch.cuh"
#include "kernels/gemm/tiling.hpp"
#include "kernels/support/comparison.cuh"

namespace gpugauge::kernels::gemm {
namespace {

constexpr int threads = 128;

template <typename In, typename Out>
__global__ void error_kernel(const In* a, const In* b, const Out* c, int m, int n, int k, int samples,
                             int first, std::uint64_t seed, Comparison* comparison) {
  const int column = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (column >= n) return;
  Tally tally;
  const int sample = first + static_cast<int>(blockIdx.y);
  tally.error(element_error(a, b, c, sampled_row(sample, samples, m, seed), column, n, k));
  tally.hand_in(comparison);
}

template <typename In, typename Out>
cudaError_t launch(const In* a, const In* b, const Out* c, int m, int n, int k, int samples,
                   std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  return launch_sampled<threads>(m, n, k, samples, comparison, stream, [&](dim3 grid, int first) {
    error_kernel<<<grid, threads, 0, stream>>>(a, b, c, m, n, k, samples, first, seed, comparison);
  });
}

}  // namespace

cudaError_t sampled_error(const float* a, const float* b, const float* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  return launch(a, b, c, m, n, k, samples, seed, comparison, stream);
}

cudaError_t sampled_error(const Bf16* a, const Bf16* b, const float* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  return launch(a, b, c, m, n, k, samples, seed, comparison, stream);
}

cudaError_t sampled_error(const Bf16* a, const Bf16* b, const Bf16* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  return launch(a, b, c, m, n, k, samples, seed, comparison, stream);
}

cudaError_t sampled_error(const Fp16* a, const Fp16* b, const float* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  return launch(a, b, c, m, n, k, samples, seed, comparison, stream);
}

cudaError_t sampled_error(const Fp16* a, const Fp16* b, const Fp16* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  return launch(a, b, c, m, n, k, samples, seed, comparison, stream);
}

cudaError_t sampled_error(const E4m3* a, const E4m3* b, const Bf16* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  return launch(a, b, c, m, n, k, samples, seed, comparison, stream);
}

}  // namespace gpugauge::kernels::gemm
