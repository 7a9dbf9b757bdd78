// What the streaming kernels must have written, computed from the generator.
#include "kernels/memory/stream.hpp"
#include "kernels/support/comparison_launch.cuh"
#include "kernels/support/grid.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::memory {
namespace {

__device__ void add_to(unsigned long long* total, unsigned long long value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffU, value, offset);
  if (threadIdx.x % 32 == 0 && value != 0) atomicAdd(total, value);
}

/// Adds Term(i) for every i < count to *total.
template <typename Term>
__global__ void sum_kernel(std::size_t count, Term term, unsigned long long* total) {
  unsigned long long sum = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    sum += term(i);
  add_to(total, sum);
}

struct UniformBits {
  std::uint64_t seed;
  __device__ unsigned long long operator()(std::size_t i) const { return bits_of(uniform(seed, i)); }
};

// True where element i is right, bit for bit.

struct Copied {
  const float* to;
  std::uint64_t seed;
  __device__ bool operator()(std::size_t i) const { return bits_of(to[i]) == bits_of(uniform(seed, i)); }
};

struct Triad {
  const float* a;
  std::uint64_t seed_b;
  std::uint64_t seed_c;
  float factor;
  __device__ bool operator()(std::size_t i) const {
    return bits_of(a[i]) == bits_of(fmaf(factor, uniform(seed_c, i), uniform(seed_b, i)));
  }
};

struct Written {
  const float* to;
  float value;
  __device__ bool operator()(std::size_t i) const { return bits_of(to[i]) == bits_of(value); }
};

struct Scaled {
  const float* to;
  std::uint64_t seed;
  float factor;
  __device__ bool operator()(std::size_t i) const {
    return bits_of(to[i]) == bits_of(__fmul_rn(factor, uniform(seed, i)));
  }
};

struct Added {
  const float* a;
  std::uint64_t seed_b;
  std::uint64_t seed_c;
  __device__ bool operator()(std::size_t i) const {
    return bits_of(a[i]) == bits_of(__fadd_rn(uniform(seed_b, i), uniform(seed_c, i)));
  }
};

template <typename Term>
cudaError_t launch_sum(std::size_t count, Term term, unsigned long long* total, cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(total, 0, sizeof *total, stream); status != cudaSuccess)
    return status;
  if (count == 0) return cudaSuccess;
  sum_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(count, term, total);
  return cudaGetLastError();
}

}  // namespace

cudaError_t expected_read(std::size_t count, std::uint64_t seed, unsigned long long* sum,
                          cudaStream_t stream) {
  return launch_sum(count, UniformBits{seed}, sum, stream);
}

cudaError_t count_copy_mismatches(const float* to, std::size_t count, std::uint64_t seed, Comparison* found,
                                  cudaStream_t stream) {
  return compare_exactly(count, Copied{to, seed}, found, stream);
}

cudaError_t count_write_mismatches(const float* to, std::size_t count, float value, Comparison* found,
                                   cudaStream_t stream) {
  return compare_exactly(count, Written{to, value}, found, stream);
}

cudaError_t count_scale_mismatches(const float* to, std::size_t count, std::uint64_t seed, float factor,
                                   Comparison* found, cudaStream_t stream) {
  return compare_exactly(count, Scaled{to, seed, factor}, found, stream);
}

cudaError_t count_add_mismatches(const float* a, std::size_t count, std::uint64_t seed_b,
                                 std::uint64_t seed_c, Comparison* found, cudaStream_t stream) {
  return compare_exactly(count, Added{a, seed_b, seed_c}, found, stream);
}

cudaError_t count_triad_mismatches(const float* a, std::size_t count, std::uint64_t seed_b,
                                   std::uint64_t seed_c, float factor, Comparison* found,
                                   cudaStream_t stream) {
  return compare_exactly(count, Triad{a, seed_b, seed_c, factor}, found, stream);
}

}  // namespace gpugauge::kernels::memory
