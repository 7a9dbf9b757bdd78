#include "kernels/collective/check.hpp"
#include "kernels/support/comparison_launch.cuh"
#include "kernels/support/grid.hpp"
#include "kernels/support/grid_stride.cuh"

namespace gpugauge::kernels::collective {
namespace {

constexpr int threads = 256;

__global__ void fill_kernel(float* data, std::size_t count, std::uint64_t seed, int rank) {
  for (std::size_t i = first_index(); i < count; i += stride()) data[i] = predictable(seed, rank, i);
}

struct Right {
  const float* data;
  std::uint64_t seed;
  Expected expected;
  __device__ bool operator()(std::size_t i) const {
    return bits_of(data[i]) == bits_of(expected.at(seed, i));
  }
};

}  // namespace

cudaError_t fill(float* data, std::size_t count, std::uint64_t seed, int rank, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  fill_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(data, count, seed, rank);
  return cudaGetLastError();
}

cudaError_t count_mismatches(const float* data, std::size_t count, std::uint64_t seed,
                             const Expected& expected, Comparison* found, cudaStream_t stream) {
  return compare_exactly(count, Right{data, seed, expected}, found, stream);
}

}  // namespace gpugauge::kernels::collective
