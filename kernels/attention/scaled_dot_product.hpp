// Scaled dot-product attention: sizes, work, and a check of its results against fp64.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/gemm/tiling.hpp"
#include "kernels/support/comparison.hpp"
#include "kernels/support/element.hpp"
#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::attention {

/// o = softmax(scale q k^T) v for `batch` x `heads` matrices q, k, v, o [length, depth], each row-major, one
/// after the other. scale = 1 / sqrt(depth).
struct Shape {
  int batch = 0;   ///< >= 1
  int heads = 0;   ///< per batch, >= 1
  int length = 0;  ///< sequence length: rows of each matrix, >= 1
  int depth = 0;   ///< head dimension: columns of each matrix, >= 1
  /// Query i sees the keys 0 to i only.
  bool causal = false;

  /// Elements of one matrix [length, depth].
  GPUGAUGE_HOST_DEVICE constexpr std::int64_t elements_of_head() const {
    return static_cast<std::int64_t>(length) * depth;
  }
  /// Elements of each of q, k, v and o.
  GPUGAUGE_HOST_DEVICE constexpr std::int64_t elements() const { return elements_of_head() * batch * heads; }
};

/// Floating-point operations of the products alone, q k^T and p v: 2 depth each per pair of query and key
/// that is not masked.
constexpr double flops_forward(const Shape& of) {
  const double pairs = of.causal ? 0.5 * of.length * (of.length + 1.0) : 1.0 * of.length * of.length;
  return 4.0 * of.batch * of.heads * of.depth * pairs;
}

/// Floating-point operations of five products instead of two: q k^T again, do v^T, and one each for dq, dk,
/// dv.
constexpr double flops_backward(const Shape& of) {
  return 2.5 * flops_forward(of);
}

/// Tolerance for errors relative to the root of the sum of squares of a result's terms. Each term is rounded
/// independently to the type of the inputs (unit roundoff u). The weight and its inputs each add a standard
/// deviation below u / sqrt(3). 12 u is about ten of them. Dropping a tile of 64 of some thousand keys
/// changes results by about 1.
constexpr double tolerance(double unit_roundoff) {
  return 12 * unit_roundoff;
}

/// Device pointers, all of one type, fp16 or bf16. The gradients may be null together with d_out; then only
/// `out` is checked.
struct Tensors {
  /// Type of all of them: fp16 or bf16.
  Element type = Element::bf16;
  const void* q = nullptr;      ///< queries [batch, heads, length, depth]; the others too
  const void* k = nullptr;      ///< keys
  const void* v = nullptr;      ///< values
  const void* out = nullptr;    ///< the result o
  const void* d_out = nullptr;  ///< gradient by o, an input
  const void* d_q = nullptr;    ///< gradient by q
  const void* d_k = nullptr;    ///< gradient by k
  const void* d_v = nullptr;    ///< gradient by v
};

/// The errors found, in the scale of tolerance().
struct Errors {
  Comparison out;  ///< of o
  Comparison d_q;  ///< of the gradient by q; empty where not checked, like the next two
  Comparison d_k;  ///< of the gradient by k
  Comparison d_v;  ///< of the gradient by v
};

/// The rows of a head, queries or keys, that the check compares. Up to 1024 rows: all. More: 256, one from
/// each of 256 equal strata, always including the first and the last. Checking every pair of a long head in
/// fp64 is too slow where fp64 runs at 1/64 of fp32's rate.
struct Rows {
  int length = 0;          ///< sequence length, >= 1
  std::uint64_t seed = 0;  ///< chooses the row in each stratum
  int count = of(length);  ///< number of rows compared, 1 to length

  /// How many of `length` rows are compared.
  static constexpr int of(int length) { return length <= 1024 ? length : 256; }
  /// Row number of sample `sample`, 0 <= sample < count, in ascending order.
  GPUGAUGE_HOST_DEVICE int row(int sample) const {
    return static_cast<int>(gemm::sampled_row(sample, count, length, seed));
  }
  /// Whether row `one` is compared, 0 <= one < length.
  GPUGAUGE_HOST_DEVICE bool has(int one) const {
    const std::int64_t stratum = ((static_cast<std::int64_t>(one) + 1) * count - 1) / length;
    return row(static_cast<int>(stratum)) == one;
  }
};

/// Largest number of queries per launch, because a launch keeps their scores.
inline constexpr int queries_at_a_time = 256;

/// Doubles of scratch that the check needs: three per query, and the scores of a launch.
constexpr std::size_t scratch_doubles(const Shape& shape) {
  const int queries = shape.length < queries_at_a_time ? shape.length : queries_at_a_time;
  return static_cast<std::size_t>(3 + queries) * static_cast<std::size_t>(shape.length);
}

/// *errors (device) = errors over the rows `Rows{shape.length, seed}` of head `head` (of batch x heads), each
/// against all keys or queries. `scratch` (device) has scratch_doubles(shape). Uses fp64 and one block per
/// row.
/// @pre depth <= 128, 0 <= head < batch x heads: else cudaErrorInvalidValue
cudaError_t head_errors(const Shape& shape, const Tensors& tensors, std::int64_t head, std::uint64_t seed,
                        double* scratch, Errors* errors, cudaStream_t stream);

}  // namespace gpugauge::kernels::attention
