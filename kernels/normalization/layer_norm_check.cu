#include "kernels/gemm/tiling.hpp"
#include "kernels/normalization/layer_norm_check.hpp"
#include "kernels/support/block_sum.cuh"
#include "kernels/support/comparison.cuh"

namespace gpugauge::kernels::normalization {
namespace {

constexpr int threads = 256;

__global__ void error_kernel(LayerNorm of, std::int64_t samples, std::uint64_t seed, Comparison* comparison) {
  __shared__ double shared[threads];
  const std::int64_t row = gemm::sampled_row(blockIdx.x, samples, of.rows, seed);
  const std::int64_t first = row * of.columns;
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < of.columns; i += threads) sum += load(of.x, of.type, first + i);
  const double mean = block_sum<threads>(sum, shared) / static_cast<double>(of.columns);
  sum = 0;
  for (std::int64_t i = threadIdx.x; i < of.columns; i += threads) {
    const double off = load(of.x, of.type, first + i) - mean;
    sum += off * off;
  }
  const double variance = block_sum<threads>(sum, shared) / static_cast<double>(of.columns);
  const double inverse = 1 / sqrt(variance + of.epsilon);
  Tally tally;
  for (std::int64_t i = threadIdx.x; i < of.columns; i += threads) {
    const double normal = (load(of.x, of.type, first + i) - mean) * inverse;
    const double scale = of.scale[i];
    const double bias = of.bias[i];
    tally.error(relative_error(load(of.y, of.type, first + i), normal * scale + bias, rounding_of(of.type),
                               (1 + fabs(normal)) * fabs(scale) + fabs(bias)));
  }
  tally.hand_in(comparison);
}

}  // namespace

cudaError_t layer_norm_error(const LayerNorm& of, std::int64_t samples, std::uint64_t seed,
                             Comparison* comparison, cudaStream_t stream) {
  if (samples < 1 || samples > of.rows || of.columns < 1) return cudaErrorInvalidValue;
  if (const cudaError_t status =
          begin_comparison(comparison, static_cast<std::size_t>(samples * of.columns), stream);
      status != cudaSuccess)
    return status;
  error_kernel<<<static_cast<unsigned>(samples), threads, 0, stream>>>(of, samples, seed, comparison);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::normalization
