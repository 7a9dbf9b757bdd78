#include "kernels/fft/reference.hpp"
#include "kernels/support/comparison.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::fft {
namespace {

constexpr int threads = 256;

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_stride() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

__global__ void wave_kernel(void* data, Shape shape, std::uint64_t seed) {
  const std::int64_t points = shape.points();
  for (std::int64_t i = first_index(); i < points * shape.batch; i += index_stride()) {
    const double turns = wave_turns(shape, wave_bin(shape, i / points, seed), i % points);
    double sine = 0;
    double cosine = 0;
    sincospi(2 * turns, &sine, &cosine);
    if (shape.type == Element::fp64) {
      static_cast<double*>(data)[2 * i] = cosine;
      static_cast<double*>(data)[2 * i + 1] = sine;
    } else {
      static_cast<float*>(data)[2 * i] = static_cast<float>(cosine);
      static_cast<float*>(data)[2 * i + 1] = static_cast<float>(sine);
    }
  }
}

__global__ void spectrum_kernel(const void* data, Shape shape, std::uint64_t seed, Comparison* comparison) {
  Tally tally;
  const std::int64_t points = shape.points();
  for (std::int64_t i = first_index(); i < points * shape.batch; i += index_stride()) {
    const bool peak = wave_bin(shape, i / points, seed) == i % points;
    const double real = load(data, shape.type, 2 * i) - (peak ? static_cast<double>(points) : 0.0);
    const double imaginary = load(data, shape.type, 2 * i + 1);
    tally.error(sqrt(real * real + imaginary * imaginary) / static_cast<double>(points));
  }
  tally.hand_in(comparison);
}

__global__ void round_trip_kernel(const void* data, Shape shape, std::uint64_t seed, double* sums) {
  double off = 0;
  double all = 0;
  const double scale = 1.0 / static_cast<double>(shape.points());
  for (std::int64_t i = first_index(); i < 2 * shape.points() * shape.batch; i += index_stride()) {
    const auto at = static_cast<std::uint64_t>(i);
    const double wanted = shape.type == Element::fp64 ? uniform_fp64(seed, at) : uniform(seed, at);
    const double difference = load(data, shape.type, i) * scale - wanted;
    off += difference * difference;
    all += wanted * wanted;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    off += __shfl_down_sync(0xffffffffU, off, offset);
    all += __shfl_down_sync(0xffffffffU, all, offset);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&sums[0], off);
    atomicAdd(&sums[1], all);
  }
}

bool valid(const Shape& shape) {
  return shape.points() >= 1 && shape.batch >= 1 &&
         (shape.type == Element::fp32 || shape.type == Element::fp64);
}

}  // namespace

cudaError_t fill_plane_waves(void* data, const Shape& shape, std::uint64_t seed, cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  wave_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(data, shape, seed);
  return cudaGetLastError();
}

cudaError_t spectrum_error(const void* data, const Shape& shape, std::uint64_t seed, Comparison* comparison,
                           cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  if (const cudaError_t status =
          begin_comparison(comparison, static_cast<std::size_t>(shape.points() * shape.batch), stream);
      status != cudaSuccess)
    return status;
  spectrum_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(data, shape, seed, comparison);
  return cudaGetLastError();
}

cudaError_t round_trip_sums(const void* data, const Shape& shape, std::uint64_t seed, double* sums,
                            cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  if (const cudaError_t status = cudaMemsetAsync(sums, 0, 2 * sizeof *sums, stream); status != cudaSuccess)
    return status;
  round_trip_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(data, shape, seed, sums);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::fft
