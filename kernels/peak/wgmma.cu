#include "kernels/peak/wgmma.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::peak {
namespace {

using Kernel = void (*)(std::uint32_t*, int);

/// Returns nullptr for fp64.
Kernel kernel_of(Element element) {
  switch (element) {
    case Element::tf32:
      return wgmma_peak_kernel<type::tf32>;
    case Element::fp16:
      return wgmma_peak_kernel<type::fp16>;
    case Element::bf16:
      return wgmma_peak_kernel<type::bf16>;
    case Element::fp8_e4m3:
      return wgmma_peak_kernel<type::fp8_e4m3>;
    case Element::int8:
      return wgmma_peak_kernel<type::int8>;
    case Element::fp64:
      break;
  }
  return nullptr;
}

}  // namespace

cudaError_t wgmma_peak(Element element, int blocks, int pairs, std::uint32_t* words, cudaStream_t stream) {
  const Kernel kernel = kernel_of(element);
  if (kernel == nullptr || blocks < 1 || pairs < wgmma_unroll || pairs % wgmma_unroll != 0 ||
      pairs > most_pairs(element))
    return cudaErrorInvalidValue;
  if (current_compute_capability() != 90) return cudaErrorNotSupported;
  if (const cudaError_t status = supports(kernel, 90); status != cudaSuccess) return status;
  kernel<<<static_cast<unsigned>(blocks), wgmma_threads, 0, stream>>>(words, pairs);
  return cudaGetLastError();
}

int wgmma_blocks(Element element) {
  const Kernel kernel = kernel_of(element);
  int together = 0;
  if (kernel == nullptr ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel, wgmma_threads, 0) != cudaSuccess)
    return 0;
  return together * current_sm_count();
}

}  // namespace gpugauge::kernels::peak
