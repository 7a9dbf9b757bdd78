// The hand-written bf16 product that loads the Tensor Cores most.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gemm/mma_bf16.hpp"
#include "kernels/gemm/wgmma.hpp"

namespace gpugauge::kernels::gemm {

/// wgmma on 9.0, of whose rate mma.sync reaches about 60% there; mma.sync elsewhere.
inline const char* fastest_bf16_name(int compute_capability) {
  return compute_capability == 90 ? "wgmma" : "mma_sync";
}

/// That product on the current device, which has this compute capability (90 for 9.0): see wgmma() and
/// mma_bf16().
inline cudaError_t fastest_bf16(int compute_capability, const Bf16* a, const Bf16* b, Bf16* c, int m, int n,
                                int k, cudaStream_t stream) {
  return compute_capability == 90 ? wgmma(a, b, c, m, n, k, stream) : mma_bf16(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
