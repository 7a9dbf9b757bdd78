#include <algorithm>

#include "kernels/attention/scaled_dot_product.cuh"

namespace gpugauge::kernels::attention {

cudaError_t head_errors(const Shape& shape, const Tensors& tensors, std::int64_t head, std::uint64_t seed,
                        double* scratch, Errors* errors, cudaStream_t stream) {
  if (shape.depth < 1 || shape.depth > check::threads || shape.length < 1 || head < 0 ||
      head >= static_cast<std::int64_t>(shape.batch) * shape.heads)
    return cudaErrorInvalidValue;
  const Rows rows{.length = shape.length, .seed = seed};
  const std::size_t elements = static_cast<std::size_t>(rows.count) * static_cast<std::size_t>(shape.depth);
  const bool gradients = tensors.d_out != nullptr;
  for (Comparison* const one : {&errors->out, &errors->d_q, &errors->d_k, &errors->d_v})
    if (const cudaError_t status =
            begin_comparison(one, gradients || one == &errors->out ? elements : 0, stream);
        status != cudaSuccess)
      return status;
  const check::Head one{tensors,      head * shape.elements_of_head(),           shape.length, shape.depth,
                        shape.causal, 1 / sqrt(static_cast<double>(shape.depth))};
  double* const statistics = scratch;
  double* const scores = scratch + 3 * static_cast<std::size_t>(shape.length);
  const int queries = gradients ? shape.length : rows.count;
  for (int first = 0; first < queries; first += queries_at_a_time)
    check::query_kernel<<<static_cast<unsigned>(std::min(queries_at_a_time, queries - first)), check::threads,
                          0, stream>>>(one, rows, first, scores, statistics, errors);
  if (gradients)
    check::key_kernel<<<static_cast<unsigned>(rows.count), check::threads, 0, stream>>>(one, rows, statistics,
                                                                                        errors);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::attention
