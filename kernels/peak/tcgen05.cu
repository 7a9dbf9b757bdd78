#include "kernels/peak/tcgen05.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::peak {
namespace {

using Tcgen05Kernel = void (*)(std::uint32_t*, int);

/// Returns nullptr for fp64.
Tcgen05Kernel tcgen05_kernel_of(Element element) {
  switch (element) {
    case Element::tf32:
      return tcgen05_peak_kernel<type::tf32>;
    case Element::fp16:
      return tcgen05_peak_kernel<type::fp16>;
    case Element::bf16:
      return tcgen05_peak_kernel<type::bf16>;
    case Element::fp8_e4m3:
      return tcgen05_peak_kernel<type::fp8_e4m3>;
    case Element::int8:
      return tcgen05_peak_kernel<type::int8>;
    case Element::fp64:
      break;
  }
  return nullptr;
}

/// Code for another GPU of the generation has none of these instructions, or none that may run here.
cudaError_t ready(Element element, Tcgen05Kernel kernel) {
  const int capability = current_compute_capability();
  if (!sm100::exists(tcgen05_kind(element), capability)) return cudaErrorNotSupported;
  if (const cudaError_t status = supports(kernel, capability); status != cudaSuccess) return status;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, tcgen05_shared_bytes);
}

}  // namespace

cudaError_t tcgen05_peak(Element element, int blocks, int pairs, std::uint32_t* words, cudaStream_t stream) {
  const Tcgen05Kernel kernel = tcgen05_kernel_of(element);
  if (kernel == nullptr || blocks < 1 || pairs < tcgen05_unroll || pairs % tcgen05_unroll != 0 ||
      pairs > most_pairs(element))
    return cudaErrorInvalidValue;
  if (const cudaError_t status = ready(element, kernel); status != cudaSuccess) return status;
  kernel<<<static_cast<unsigned>(blocks), tcgen05_threads, tcgen05_shared_bytes, stream>>>(words, pairs);
  return cudaGetLastError();
}

int tcgen05_blocks(Element element) {
  const Tcgen05Kernel kernel = tcgen05_kernel_of(element);
  int together = 0;
  if (kernel == nullptr || ready(element, kernel) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel, tcgen05_threads,
                                                    tcgen05_shared_bytes) != cudaSuccess)
    return 0;
  return together * current_sm_count();
}

}  // namespace gpugauge::kernels::peak
