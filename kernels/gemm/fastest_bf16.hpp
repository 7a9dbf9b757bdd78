// The hand-written bf16 product with the highest Tensor Core load.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gemm/mma_bf16.hpp"
#include "kernels/gemm/wgmma.hpp"

namespace gpugauge::kernels::gemm {

/// wgmma on 9.0, where mma.sync reaches about 60% of its rate; mma.sync elsewhere.
inline const char* fastest_bf16_name(int compute_capability) {
  return compute_capability == 90 ? "wgmma" : "mma_sync";
}

/// Whether this product draws the GPU's highest power. It does not on 10.x and 11.0, whose fast instruction
/// is tcgen05: a library's product loads those GPUs more.
inline bool fastest_bf16_is_full_load(int compute_capability) {
  return compute_capability < 100 || compute_capability >= 120;
}

/// Note for a load that is not full.
inline constexpr const char* not_full_load =
    "by mma.sync, less than what tcgen05 does on this GPU: cooling and power limit are not tried to the full";

/// Runs that product on the current device, which has this compute capability (90 for 9.0): see wgmma() and
/// mma_bf16().
inline cudaError_t fastest_bf16(int compute_capability, const Bf16* a, const Bf16* b, Bf16* c, int m, int n,
                                int k, cudaStream_t stream) {
  return compute_capability == 90 ? wgmma(a, b, c, m, n, k, stream) : mma_bf16(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
