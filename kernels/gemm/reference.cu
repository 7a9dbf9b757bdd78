#include "kernels/gemm/element_error.hpp"
#include "kernels/gemm/reference.hpp"
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
  if (m < 1 || n < 1 || k < 1 || samples < 1 || samples > m) return cudaErrorInvalidValue;
  if (const cudaError_t status = begin_comparison(
          comparison, static_cast<std::size_t>(samples) * static_cast<std::size_t>(n), stream);
      status != cudaSuccess)
    return status;
  const int at_once = samples_at_once(n, k);
  for (int first = 0; first < samples; first += at_once) {
    const int here = samples - first < at_once ? samples - first : at_once;
    const dim3 grid(static_cast<unsigned>((n + threads - 1) / threads), static_cast<unsigned>(here));
    error_kernel<<<grid, threads, 0, stream>>>(a, b, c, m, n, k, samples, first, seed, comparison);
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  }
  return cudaSuccess;
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
