// The products by wgmma as they are where their guard is false although the code is for 9.0: each is a trap. Compiled
// and never run.
#include "kernels/gemm/wgmma_stage.cuh"

#undef GPUGAUGE_HAS_WGMMA
#define GPUGAUGE_HAS_WGMMA 0
#include "kernels/gemm/wgmma.cu"
#include "kernels/gemm/wgmma_ladder.cu"
