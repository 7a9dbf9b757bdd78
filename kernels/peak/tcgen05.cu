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

cudaError_t ready(Element element, Tcgen05Kernel kernel) {
  if (!sm100::exists(tcgen05_kind(element), current_compute_capability())) return cudaErrorNotSupported;
  if (const cudaError_t status = has_instructions(kernel, tcgen05_threads); status != cudaSuccess)
    return status;
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

int tcgen05_blocks() {
  return current_sm_count();
}

}  // namespace gpugauge::kernels::peak
