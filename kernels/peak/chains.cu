#include "kernels/peak/chains.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::peak {
namespace {

using Kernel = void (*)(std::uint32_t*, int);

Kernel kernel_of(Chain chain) {
  switch (chain) {
    case Chain::fp64:
      return chain_kernel<Fp64Chain>;
    case Chain::fp32:
      return chain_kernel<Fp32Chain>;
    case Chain::fp16x2:
      return chain_kernel<Fp16x2Chain>;
    case Chain::int32:
      return chain_kernel<Int32Chain>;
    case Chain::dp4a:
      break;
  }
  return chain_kernel<Dp4aChain>;
}

}  // namespace

cudaError_t chain_peak(Chain chain, int blocks, int steps, std::uint32_t* words, cudaStream_t stream) {
  if (blocks < 1 || steps < chain_unroll || steps % chain_unroll != 0) return cudaErrorInvalidValue;
  kernel_of(chain)<<<static_cast<unsigned>(blocks), chain_threads, 0, stream>>>(words, steps);
  return cudaGetLastError();
}

int chain_blocks(Chain chain) {
  int together = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel_of(chain), chain_threads, 0) !=
      cudaSuccess)
    return 0;
  return together * current_sm_count();
}

}  // namespace gpugauge::kernels::peak
