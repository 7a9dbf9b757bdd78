#include "kernels/attention/scaled_dot_product.cuh"

namespace gpugauge::kernels::attention {

cudaError_t head_errors(const Shape& shape, const Tensors& tensors, std::int64_t head, double* statistics,
                        Errors* errors, cudaStream_t stream) {
  if (shape.depth < 1 || shape.depth > check::threads || shape.length < 1 || head < 0 ||
      head >= static_cast<std::int64_t>(shape.batch) * shape.heads)
    return cudaErrorInvalidValue;
  const auto elements = static_cast<std::size_t>(shape.elements_of_head());
  const bool gradients = tensors.d_out != nullptr;
  for (Comparison* const one : {&errors->out, &errors->d_q, &errors->d_k, &errors->d_v})
    if (const cudaError_t status =
            begin_comparison(one, gradients || one == &errors->out ? elements : 0, stream);
        status != cudaSuccess)
      return status;
  const check::Head one{tensors,      head * shape.elements_of_head(),           shape.length, shape.depth,
                        shape.causal, 1 / sqrt(static_cast<double>(shape.depth))};
  const auto blocks = static_cast<unsigned>(shape.length);
  check::query_kernel<<<blocks, check::threads, 0, stream>>>(one, statistics, errors);
  if (gradients) check::key_kernel<<<blocks, check::threads, 0, stream>>>(one, statistics, errors);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::attention
