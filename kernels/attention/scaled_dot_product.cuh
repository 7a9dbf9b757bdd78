// The check's kernels.
#pragma once

#include <cmath>

#include "kernels/attention/scaled_dot_product.hpp"
#include "kernels/support/comparison.cuh"

namespace gpugauge::kernels::attention {

namespace check {

// A block has one thread for each of 128 keys, or queries, at a time, and for each of up to 128 columns.
constexpr int threads = 128;

struct Head {
  Tensors tensors;
  std::int64_t first;  ///< element at which the head begins
  int length, depth;
  bool causal;
  double scale;

  __device__ double at(const void* data, int row, int column) const {
    return load(data, tensors.type, first + static_cast<std::int64_t>(row) * depth + column);
  }
  __device__ double dot(const void* left, int left_row, const void* right, int right_row) const {
    double sum = 0;
    for (int i = 0; i < depth; ++i) sum += at(left, left_row, i) * at(right, right_row, i);
    return sum;
  }
  __device__ double score(int query, int key) const { return scale * dot(tensors.q, query, tensors.k, key); }
};

__device__ double block_sum(double value, double* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = shared[0];
  __syncthreads();
  return sum;
}

__device__ double block_largest(double value, double* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half)
      shared[threadIdx.x] = fmax(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  const double largest = shared[0];
  __syncthreads();
  return largest;
}

__device__ void compare(Comparison* comparison, double value, double reference, Element type,
                        double squares) {
  Tally tally;
  tally.error(relative_error(value, reference, rounding_of(type), sqrt(squares)));
  tally.hand_in(comparison);
}

// One block a query: out and d_q; leaves log-sum-exp, D = d_out . out, and the size of D's error.
__global__ void query_kernel(Head head, double* statistics, Errors* errors) {
  __shared__ double reduced[threads];
  __shared__ double weight[threads];
  __shared__ double slope[threads];
  const int query = static_cast<int>(blockIdx.x);
  const int me = static_cast<int>(threadIdx.x);
  const int keys = head.causal ? query + 1 : head.length;
  const Tensors& tensors = head.tensors;

  double highest = -HUGE_VAL;
  for (int key = me; key < keys; key += threads) highest = fmax(highest, head.score(query, key));
  highest = block_largest(highest, reduced);
  double sum = 0;
  for (int key = me; key < keys; key += threads) sum += exp(head.score(query, key) - highest);
  const double log_sum = highest + log(block_sum(sum, reduced));

  double out = 0;
  double squares = 0;
  for (int first = 0; first < keys; first += threads) {
    weight[me] = first + me < keys ? exp(head.score(query, first + me) - log_sum) : 0;
    __syncthreads();
    if (me < head.depth)
      for (int i = 0; i < threads && first + i < keys; ++i) {
        const double term = weight[i] * head.at(tensors.v, first + i, me);
        out += term;
        squares += term * term;
      }
    __syncthreads();
  }
  if (me < head.depth) compare(&errors->out, head.at(tensors.out, query, me), out, tensors.type, squares);
  if (tensors.d_out == nullptr) return;

  const double product = me < head.depth ? head.at(tensors.d_out, query, me) * out : 0;
  const double together = block_sum(product, reduced);
  const double together_off = sqrt(block_sum(product * product, reduced));
  if (me == 0) {
    statistics[query] = log_sum;
    statistics[head.length + query] = together;
    statistics[2 * head.length + query] = together_off;
  }
  double gradient = 0;
  squares = 0;
  for (int first = 0; first < keys; first += threads) {
    double steep = 0;
    weight[me] = 0;
    if (first + me < keys) {
      const double p = exp(head.score(query, first + me) - log_sum);
      const double d_p = head.dot(tensors.d_out, query, tensors.v, first + me);
      steep = head.scale * p * (d_p - together);
      weight[me] = head.scale * p * (fabs(d_p) + together_off);
    }
    slope[me] = steep;
    __syncthreads();
    if (me < head.depth)
      for (int i = 0; i < threads && first + i < keys; ++i) {
        const double key = head.at(tensors.k, first + i, me);
        gradient += slope[i] * key;
        squares += weight[i] * key * weight[i] * key;
      }
    __syncthreads();
  }
  if (me < head.depth)
    compare(&errors->d_q, head.at(tensors.d_q, query, me), gradient, tensors.type, squares);
}

// One block a key: d_k and d_v.
__global__ void key_kernel(Head head, const double* statistics, Errors* errors) {
  __shared__ double weight[threads];
  __shared__ double slope[threads];
  __shared__ double size[threads];
  const int key = static_cast<int>(blockIdx.x);
  const int me = static_cast<int>(threadIdx.x);
  const Tensors& tensors = head.tensors;
  double d_k = 0, d_k_squares = 0, d_v = 0, d_v_squares = 0;
  for (int first = head.causal ? key : 0; first < head.length; first += threads) {
    const int query = first + me;
    weight[me] = slope[me] = size[me] = 0;
    if (query < head.length) {
      const double p = exp(head.score(query, key) - statistics[query]);
      const double d_p = head.dot(tensors.d_out, query, tensors.v, key);
      weight[me] = p;
      slope[me] = head.scale * p * (d_p - statistics[head.length + query]);
      size[me] = head.scale * p * (fabs(d_p) + statistics[2 * head.length + query]);
    }
    __syncthreads();
    if (me < head.depth)
      for (int i = 0; i < threads && first + i < head.length; ++i) {
        const double q = head.at(tensors.q, first + i, me);
        const double d_v_term = weight[i] * head.at(tensors.d_out, first + i, me);
        d_k += slope[i] * q;
        d_k_squares += size[i] * q * size[i] * q;
        d_v += d_v_term;
        d_v_squares += d_v_term * d_v_term;
      }
    __syncthreads();
  }
  if (me >= head.depth) return;
  compare(&errors->d_k, head.at(tensors.d_k, key, me), d_k, tensors.type, d_k_squares);
  compare(&errors->d_v, head.at(tensors.d_v, key, me), d_v, tensors.type, d_v_squares);
}

}  // namespace check

}  // namespace gpugauge::kernels::attention
