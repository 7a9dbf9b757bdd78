// Checks attention: sampled rows in fp64.
#include "kernels/primitive/attention.hpp"
#include "kernels/primitive/attention_element.hpp"
#include "kernels/support/comparison.cuh"

namespace gpugauge::kernels::primitive {
namespace {

constexpr int threads = 128;

struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
};
struct Most {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};

template <typename Combine>
__device__ double over_block(double value, Combine combine) {
  __shared__ double parts[threads];
  __syncthreads();
  parts[threadIdx.x] = value;
  __syncthreads();
  double all = parts[0];
  for (int i = 1; i < threads; ++i) all = combine(all, parts[i]);
  return all;
}

// One block checks one row. Threads share the keys for the sums of the weights, then each thread computes one
// column. The scores are recomputed in shared memory, 128 keys at a time.
__global__ void __launch_bounds__(threads)
    attention_error_kernel(const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* o, AttentionShape shape,
                           int samples, std::uint64_t seed, Comparison* comparison) {
  __shared__ double weights[threads];
  const int sample = static_cast<int>(blockIdx.x);
  const int row = attention_sampled_row(sample, samples, shape.length, seed);
  const std::size_t head = static_cast<std::size_t>(attention_sampled_head(sample, shape.heads)) *
                           static_cast<std::size_t>(shape.length) * shape.head_dim;
  const int keys = shape.causal ? row + 1 : shape.length;
  const auto score = [&](int key) { return attention_score(q + head, k + head, shape.head_dim, row, key); };
  const int thread = static_cast<int>(threadIdx.x);
  double own = -INFINITY;
  for (int key = thread; key < keys; key += threads) own = fmax(own, score(key));
  const double largest = over_block(own, Most{});
  double sum = 0;
  double squares = 0;
  double out = 0;
  for (int first = 0; first < keys; first += threads) {
    __syncthreads();
    weights[thread] = first + thread < keys ? exp(score(first + thread) - largest) : 0;
    __syncthreads();
    sum += weights[thread];
    squares += weights[thread] * weights[thread];
    if (thread >= shape.head_dim) continue;
    for (int i = 0; i < threads && first + i < keys; ++i)
      out += weights[i] * static_cast<double>(to_float(
                              v[head + static_cast<std::size_t>(first + i) * shape.head_dim + thread]));
  }
  sum = over_block(sum, Add{});
  squares = over_block(squares, Add{});
  if (thread >= shape.head_dim) return;
  const double found = to_float(o[head + static_cast<std::size_t>(row) * shape.head_dim + thread]);
  Tally tally;
  tally.error(attention_element_error(found, out / sum, squares / (sum * sum)));
  tally.hand_in(comparison);
}

}  // namespace

cudaError_t attention_error(const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* o, AttentionShape shape,
                            int samples, std::uint64_t seed, Comparison* comparison, cudaStream_t stream) {
  if (shape.heads < 1 || shape.length < 1 || shape.head_dim < 1 || shape.head_dim > threads || samples < 1 ||
      samples > shape.length)
    return cudaErrorInvalidValue;
  if (const cudaError_t status = begin_comparison(
          comparison, static_cast<std::size_t>(samples) * static_cast<std::size_t>(shape.head_dim), stream);
      status != cudaSuccess)
    return status;
  attention_error_kernel<<<static_cast<unsigned>(samples), threads, 0, stream>>>(q, k, v, o, shape, samples,
                                                                                 seed, comparison);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::primitive
