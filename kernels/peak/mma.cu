#include "kernels/peak/mma_fp64.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::peak {
namespace {

using Kernel = void (*)(std::uint32_t*, int);

Kernel kernel_of(Element element, bool large) {
  switch (element) {
    case Element::fp64:
      return large ? mma_peak_fp64_kernel<true> : mma_peak_fp64_kernel<false>;
    case Element::tf32:
      return mma_peak_kernel<type::tf32>;
    case Element::fp16:
      return mma_peak_kernel<type::fp16>;
    case Element::bf16:
      return mma_peak_kernel<type::bf16>;
    case Element::fp8_e4m3:
      return mma_peak_kernel<type::fp8_e4m3>;
    case Element::int8:
      break;
  }
  return mma_peak_kernel<type::int8>;
}

}  // namespace

cudaError_t mma_peak(Element element, bool large, int blocks, int pairs, std::uint32_t* words,
                     cudaStream_t stream) {
  if (blocks < 1 || pairs < mma_unroll || pairs % mma_unroll != 0 || pairs > most_pairs(element))
    return cudaErrorInvalidValue;
  const Kernel kernel = kernel_of(element, large);
  if (const cudaError_t status = supports(kernel, least_compute_capability(element, large));
      status != cudaSuccess)
    return status;
  kernel<<<static_cast<unsigned>(blocks), mma_threads, 0, stream>>>(words, pairs);
  return cudaGetLastError();
}

int mma_blocks(Element element, bool large) {
  int together = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel_of(element, large), mma_threads, 0) !=
      cudaSuccess)
    return 0;
  return together * current_sm_count();
}

}  // namespace gpugauge::kernels::peak
