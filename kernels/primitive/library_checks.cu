// Fills the inputs of sort, select and run-length encode, and checks their results exactly.
#include "kernels/primitive/library_checks.hpp"
#include "kernels/support/comparison_launch.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::primitive {
namespace {

template <typename Act>
__global__ void each_kernel(std::size_t count, Act act) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    act(i);
}

// Adds Term(i) for every i < count to *total.
template <typename Term>
__global__ void sum_kernel(std::size_t count, Term term, unsigned long long* total) {
  unsigned long long sum = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    sum += term(i);
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, mask);
  if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(total, sum);
}

template <typename Act>
cudaError_t for_each(std::size_t count, Act act, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  each_kernel<<<current_sm_count() * 8, 256, 0, stream>>>(count, act);
  return cudaGetLastError();
}

template <typename Term>
cudaError_t sum_over(std::size_t count, Term term, unsigned long long* total, cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(total, 0, sizeof *total, stream); status != cudaSuccess)
    return status;
  if (count == 0) return cudaSuccess;
  sum_kernel<<<current_sm_count() * 8, 256, 0, stream>>>(count, term, total);
  return cudaGetLastError();
}

template <typename Key>
__device__ Key key_at(std::uint64_t seed, std::size_t i) {
  return static_cast<Key>(random_bits(seed, i) >> (64 - 8 * sizeof(Key)));
}

template <typename Key>
struct FillKeys {
  Key* keys;
  std::uint64_t seed;
  __device__ void operator()(std::size_t i) const { keys[i] = key_at<Key>(seed, i); }
};

struct FillIndices {
  std::uint32_t* values;
  __device__ void operator()(std::size_t i) const { values[i] = static_cast<std::uint32_t>(i); }
};

struct FillRuns {
  std::uint32_t* values;
  __device__ void operator()(std::size_t i) const {
    std::size_t start = i;
    while (!run_begins(start)) --start;
    values[i] = static_cast<std::uint32_t>(start);
  }
};

template <typename Key>
struct Ascending {
  const Key* keys;
  __device__ bool operator()(std::size_t i) const { return keys[i] <= keys[i + 1]; }
};

template <typename Key>
struct KeyTerm {
  const Key* keys;
  __device__ unsigned long long operator()(std::size_t i) const { return mix64(std::uint64_t{keys[i]} + 1); }
};

struct SortedPair {
  const std::uint32_t* keys;
  const std::uint32_t* indices;
  std::size_t count;
  std::uint64_t seed;
  __device__ bool operator()(std::size_t i) const {
    if (indices[i] >= count || keys[i] != key_at<std::uint32_t>(seed, indices[i])) return false;
    if (i + 1 == count || keys[i] < keys[i + 1]) return true;
    return keys[i] == keys[i + 1] && indices[i] < indices[i + 1];
  }
};

struct IsSelected {
  __device__ unsigned long long operator()(std::size_t i) const {
    return Selected{}(static_cast<std::uint32_t>(i)) ? 1 : 0;
  }
};

struct RightlySelected {
  const std::uint32_t* found;
  std::size_t count;
  __device__ bool operator()(std::size_t i) const {
    return found[i] < count && Selected{}(found[i]) && (i == 0 || found[i - 1] < found[i]);
  }
};

struct IsRun {
  __device__ unsigned long long operator()(std::size_t i) const { return run_begins(i) ? 1 : 0; }
};

struct RightRun {
  const std::uint32_t* values;
  const std::uint32_t* lengths;
  std::size_t runs;
  std::size_t count;
  __device__ bool operator()(std::size_t i) const {
    const std::uint64_t end = std::uint64_t{values[i]} + lengths[i];
    return run_begins(values[i]) && lengths[i] > 0 && (i > 0 || values[i] == 0) &&
           end == (i + 1 < runs ? values[i + 1] : count);
  }
};

}  // namespace

cudaError_t fill_keys(std::uint32_t* keys, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  return for_each(count, FillKeys<std::uint32_t>{keys, seed}, stream);
}
cudaError_t fill_keys(std::uint64_t* keys, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  return for_each(count, FillKeys<std::uint64_t>{keys, seed}, stream);
}
cudaError_t fill_indices(std::uint32_t* values, std::size_t count, cudaStream_t stream) {
  return for_each(count, FillIndices{values}, stream);
}
cudaError_t check_ascending(const std::uint32_t* keys, std::size_t count, Comparison* comparison,
                            cudaStream_t stream) {
  return compare_exactly(count < 2 ? 0 : count - 1, Ascending<std::uint32_t>{keys}, comparison, stream);
}
cudaError_t check_ascending(const std::uint64_t* keys, std::size_t count, Comparison* comparison,
                            cudaStream_t stream) {
  return compare_exactly(count < 2 ? 0 : count - 1, Ascending<std::uint64_t>{keys}, comparison, stream);
}
cudaError_t sum_of_keys(const std::uint32_t* keys, std::size_t count, unsigned long long* sum,
                        cudaStream_t stream) {
  return sum_over(count, KeyTerm<std::uint32_t>{keys}, sum, stream);
}
cudaError_t sum_of_keys(const std::uint64_t* keys, std::size_t count, unsigned long long* sum,
                        cudaStream_t stream) {
  return sum_over(count, KeyTerm<std::uint64_t>{keys}, sum, stream);
}
cudaError_t check_pairs(const std::uint32_t* keys, const std::uint32_t* indices, std::size_t count,
                        std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  return compare_exactly(count, SortedPair{keys, indices, count, seed}, comparison, stream);
}
cudaError_t count_selected(std::size_t count, unsigned long long* taken, cudaStream_t stream) {
  return sum_over(count, IsSelected{}, taken, stream);
}
cudaError_t check_selected(const std::uint32_t* found, std::size_t taken, std::size_t count,
                           Comparison* comparison, cudaStream_t stream) {
  return compare_exactly(taken, RightlySelected{found, count}, comparison, stream);
}
cudaError_t fill_runs(std::uint32_t* values, std::size_t count, cudaStream_t stream) {
  return for_each(count, FillRuns{values}, stream);
}
cudaError_t count_runs(std::size_t count, unsigned long long* runs, cudaStream_t stream) {
  return sum_over(count, IsRun{}, runs, stream);
}
cudaError_t check_runs(const std::uint32_t* values, const std::uint32_t* lengths, std::size_t runs,
                       std::size_t count, Comparison* comparison, cudaStream_t stream) {
  return compare_exactly(runs, RightRun{values, lengths, runs, count}, comparison, stream);
}

}  // namespace gpugauge::kernels::primitive
