// Checks the row operations: sampled rows in fp64.
#include <cstddef>

#include "kernels/primitive/rows.hpp"
#include "kernels/support/comparison.cuh"

namespace gpugauge::kernels::primitive {
namespace {

constexpr int threads = 256;

// All threads of the block get the sum.
__device__ double block_sum(double value) {
  __shared__ double parts[threads];
  __syncthreads();
  parts[threadIdx.x] = value;
  __syncthreads();
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

__device__ double block_maximum(double value) {
  __shared__ double parts[threads];
  __syncthreads();
  parts[threadIdx.x] = value;
  __syncthreads();
  double largest = parts[0];
  for (const double part : parts) largest = part > largest ? part : largest;
  return largest;
}

template <typename Term>
__device__ double row_sum(int columns, Term term) {
  double sum = 0;
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += threads) sum += term(c);
  return block_sum(sum);
}

struct SoftmaxReference {
  double largest, sum;
  __device__ SoftmaxReference(const float* x, int columns) {
    double own = -INFINITY;
    for (int c = static_cast<int>(threadIdx.x); c < columns; c += threads) own = fmax(own, double{x[c]});
    largest = block_maximum(own);
    sum = row_sum(columns, [&](int c) { return exp(x[c] - largest); });
  }
  __device__ double error(const float* x, const float* y, int c) const {
    const double expected = exp(x[c] - largest) / sum;
    return fabs(double{y[c]} - expected) / expected;
  }
};

struct NormReference {
  const float* gain;
  const float* bias;  // nullptr: RMS norm, which subtracts no mean
  double epsilon;
};

struct NormOfRow {
  NormReference of;
  double mean, factor;
  __device__ NormOfRow(NormReference norm, const float* x, int columns) : of(norm) {
    mean = of.bias == nullptr ? 0 : row_sum(columns, [&](int c) { return double{x[c]}; }) / columns;
    const double squares = row_sum(columns, [&](int c) { return (x[c] - mean) * (x[c] - mean); });
    factor = 1 / sqrt(squares / columns + of.epsilon);
  }
  __device__ double error(const float* x, const float* y, int c) const {
    const double expected =
        (x[c] - mean) * factor * of.gain[c] + (of.bias == nullptr ? 0.0 : double{of.bias[c]});
    return fabs(y[c] - expected) / (1 + fabs(expected));
  }
};

struct MakeSoftmax {
  __device__ SoftmaxReference operator()(const float* x, int columns) const { return {x, columns}; }
};
struct MakeNorm {
  NormReference norm;
  __device__ NormOfRow operator()(const float* x, int columns) const { return {norm, x, columns}; }
};

template <typename Make>
__global__ void __launch_bounds__(threads)
    rows_error_kernel(const float* from, const float* to, int rows, int columns, int samples, Make make,
                      Comparison* comparison) {
  const int row = checked_row(static_cast<int>(blockIdx.x), samples, rows);
  const float* const x = from + static_cast<std::size_t>(row) * columns;
  const float* const y = to + static_cast<std::size_t>(row) * columns;
  const auto reference = make(x, columns);
  Tally tally;
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += threads)
    tally.error(reference.error(x, y, c));
  tally.hand_in(comparison);
}

template <typename Make>
cudaError_t launch(const float* from, const float* to, int rows, int columns, int samples, Make make,
                   Comparison* comparison, cudaStream_t stream) {
  if (rows < 1 || columns < 1 || samples < 1 || samples > rows) return cudaErrorInvalidValue;
  if (const cudaError_t status = begin_comparison(
          comparison, static_cast<std::size_t>(samples) * static_cast<std::size_t>(columns), stream);
      status != cudaSuccess)
    return status;
  rows_error_kernel<<<static_cast<unsigned>(samples), threads, 0, stream>>>(from, to, rows, columns, samples,
                                                                            make, comparison);
  return cudaGetLastError();
}

}  // namespace

cudaError_t softmax_error(const float* from, const float* to, int rows, int columns, int samples,
                          Comparison* comparison, cudaStream_t stream) {
  return launch(from, to, rows, columns, samples, MakeSoftmax{}, comparison, stream);
}

cudaError_t layer_norm_error(const float* from, const float* gain, const float* bias, float epsilon,
                             const float* to, int rows, int columns, int samples, Comparison* comparison,
                             cudaStream_t stream) {
  return launch(from, to, rows, columns, samples, MakeNorm{{gain, bias, double{epsilon}}}, comparison,
                stream);
}

cudaError_t rms_norm_error(const float* from, const float* gain, float epsilon, const float* to, int rows,
                           int columns, int samples, Comparison* comparison, cudaStream_t stream) {
  return launch(from, to, rows, columns, samples, MakeNorm{{gain, nullptr, double{epsilon}}}, comparison,
                stream);
}

}  // namespace gpugauge::kernels::primitive
