#include "kernels/attention/scaled_dot_product.cuh"

namespace gpugauge::kernels::attention {

cudaError_t head_errors(const Shape& shape, const Tensors& tensors, std::int64_t head, double* statistics,
                        Errors* errors, cudaStream_t stream) {
  if (shape.depth < 1 || shape.depth > check::threads || shape.length < 1 || head < 0 ||
      head >= static_cast<std::int64_t>(shape.batch) * shape.heads)
    return cudaErrorInvalidValue;
  if (const cudaError_t status = cudaMemsetAsync(errors, 0, sizeof *errors, stream); status != cudaSuccess)
    return status;
  const check::Head one{tensors,      head * shape.elements_of_head(),           shape.length, shape.depth,
                        shape.causal, 1 / sqrt(static_cast<double>(shape.depth))};
  const auto blocks = static_cast<unsigned>(shape.length);
  check::query_kernel<<<blocks, check::threads, 0, stream>>>(one, statistics, errors);
  if (tensors.d_out != nullptr)
    check::key_kernel<<<blocks, check::threads, 0, stream>>>(one, statistics, errors);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::attention
