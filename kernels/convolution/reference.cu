#include "kernels/convolution/reference.hpp"
#include "kernels/gemm/tiling.hpp"
#include "kernels/support/comparison.cuh"

namespace gpugauge::kernels::convolution {
namespace {

constexpr int threads = 64;

__global__ void error_kernel(Shape shape, Pass pass, Tensor image, Tensor other, Tensor result,
                             std::int64_t samples, std::uint64_t seed, Comparison* comparison) {
  const std::int64_t sample = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (sample >= samples) return;
  std::int64_t index = gemm::sampled_row(sample, samples, result.count(), seed);
  const std::int64_t i3 = index % result.size[3];
  index /= result.size[3];
  const std::int64_t i2 = index % result.size[2];
  index /= result.size[2];
  const std::int64_t i1 = index % result.size[1];
  Tally tally;
  tally.error(element_error(shape, pass, image, other, result, index / result.size[1], i1, i2, i3));
  tally.hand_in(comparison);
}

}  // namespace

cudaError_t sampled_error(const Shape& shape, Pass pass, const Tensor& image, const Tensor& other,
                          const Tensor& result, std::int64_t samples, std::uint64_t seed,
                          Comparison* comparison, cudaStream_t stream) {
  if (samples < 1 || samples > result.count()) return cudaErrorInvalidValue;
  if (const cudaError_t status = begin_comparison(comparison, static_cast<std::size_t>(samples), stream);
      status != cudaSuccess)
    return status;
  error_kernel<<<static_cast<unsigned>((samples + threads - 1) / threads), threads, 0, stream>>>(
      shape, pass, image, other, result, samples, seed, comparison);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::convolution
