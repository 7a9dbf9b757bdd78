// The check's kernels.
#pragma once

#include <cmath>

#include "kernels/attention/scaled_dot_product.hpp"
#include "kernels/support/block_sum.cuh"
#include "kernels/support/comparison.cuh"

namespace gpugauge::kernels::attention {

namespace check {

// A block has one thread per key or query, up to 128 at a time, and one thread per column, up to 128.
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
  /// Dot product of `left`, `depth` numbers, and a row of `right`.
  __device__ double dot(const double* left, const void* right, int right_row) const {
    double sum = 0;
    for (int i = 0; i < depth; ++i) sum += left[i] * at(right, right_row, i);
    return sum;
  }
  /// Reads a row as numbers, one element per thread. Synchronise the block before reading them.
  __device__ void read_row(double* into, const void* data, int row) const {
    const int me = static_cast<int>(threadIdx.x);
    if (me < depth) into[me] = at(data, row, me);
  }
};

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

// One block per query, from `first` on: computes out and d_q, and stores log-sum-exp, D = d_out . out, and
// the size of D's error. Without gradients it runs only for the compared queries. With gradients it runs for
// all, because every key needs these values, and only the compared ones continue to d_q. `scores` has
// `length` numbers per block.
__global__ void query_kernel(Head head, Rows rows, int first, double* scores, double* statistics,
                             Errors* errors) {
  __shared__ double reduced[threads];
  __shared__ double row[threads];
  __shared__ double weight[threads];
  __shared__ double slope[threads];
  const Tensors& tensors = head.tensors;
  const bool gradients = tensors.d_out != nullptr;
  const int place = first + static_cast<int>(blockIdx.x);
  const int query = gradients ? place : rows.row(place);
  const bool compared = !gradients || rows.has(query);
  const int me = static_cast<int>(threadIdx.x);
  const int keys = head.causal ? query + 1 : head.length;
  double* const share = scores + static_cast<std::int64_t>(blockIdx.x) * head.length;

  head.read_row(row, tensors.q, query);
  __syncthreads();
  double highest = -HUGE_VAL;
  for (int key = me; key < keys; key += threads) {
    share[key] = head.scale * head.dot(row, tensors.k, key);
    highest = fmax(highest, share[key]);
  }
  highest = block_largest(highest, reduced);
  double sum = 0;
  for (int key = me; key < keys; key += threads) {
    share[key] = exp(share[key] - highest);
    sum += share[key];
  }
  sum = block_sum<threads>(sum, reduced);
  for (int key = me; key < keys; key += threads) share[key] /= sum;
  __syncthreads();

  double out = 0;
  double squares = 0;
  if (me < head.depth)
    for (int key = 0; key < keys; ++key) {
      const double term = share[key] * head.at(tensors.v, key, me);
      out += term;
      squares += term * term;
    }
  if (compared && me < head.depth)
    compare(&errors->out, head.at(tensors.out, query, me), out, tensors.type, squares);
  if (!gradients) return;

  head.read_row(row, tensors.d_out, query);
  const double product = me < head.depth ? row[me] * out : 0;
  const double together = block_sum<threads>(product, reduced);
  const double together_off = sqrt(block_sum<threads>(product * product, reduced));
  if (me == 0) {
    statistics[query] = highest + log(sum);
    statistics[head.length + query] = together;
    statistics[2 * head.length + query] = together_off;
  }
  if (!compared) return;
  double gradient = 0;
  squares = 0;
  for (int begin = 0; begin < keys; begin += threads) {
    weight[me] = slope[me] = 0;
    if (begin + me < keys) {
      const double p = share[begin + me];
      const double d_p = head.dot(row, tensors.v, begin + me);
      slope[me] = head.scale * p * (d_p - together);
      weight[me] = head.scale * p * (fabs(d_p) + together_off);
    }
    __syncthreads();
    if (me < head.depth)
      for (int i = 0; i < threads && begin + i < keys; ++i) {
        const double key = head.at(tensors.k, begin + i, me);
        gradient += slope[i] * key;
        squares += weight[i] * key * weight[i] * key;
      }
    __syncthreads();
  }
  if (me < head.depth)
    compare(&errors->d_q, head.at(tensors.d_q, query, me), gradient, tensors.type, squares);
}

// One block per compared key: d_k and d_v.
__global__ void key_kernel(Head head, Rows rows, const double* statistics, Errors* errors) {
  __shared__ double key_row[threads];
  __shared__ double value_row[threads];
  __shared__ double weight[threads];
  __shared__ double slope[threads];
  __shared__ double size[threads];
  const int key = rows.row(static_cast<int>(blockIdx.x));
  const int me = static_cast<int>(threadIdx.x);
  const Tensors& tensors = head.tensors;
  head.read_row(key_row, tensors.k, key);
  head.read_row(value_row, tensors.v, key);
  __syncthreads();
  double d_k = 0, d_k_squares = 0, d_v = 0, d_v_squares = 0;
  for (int first = head.causal ? key : 0; first < head.length; first += threads) {
    const int query = first + me;
    weight[me] = slope[me] = size[me] = 0;
    if (query < head.length) {
      const double p = exp(head.scale * head.dot(key_row, tensors.q, query) - statistics[query]);
      const double d_p = head.dot(value_row, tensors.d_out, query);
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
