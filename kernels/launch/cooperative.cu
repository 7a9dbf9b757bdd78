#include <cooperative_groups.h>

#include "kernels/launch/cooperative.hpp"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::launch {
namespace {

__global__ void __launch_bounds__(cooperative_threads) grid_sync_kernel(int rounds) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int round = 0; round < rounds; ++round) grid.sync();
}

__global__ void __launch_bounds__(cooperative_threads)
    checked_grid_sync_kernel(int rounds, unsigned* arrived, unsigned long long* missed) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) atomicAdd(&arrived[round], 1U);
    grid.sync();
    if (threadIdx.x == 0 && *static_cast<volatile unsigned*>(&arrived[round]) != gridDim.x)
      atomicAdd(missed, 1ULL);
  }
}

cudaError_t launch(const void* kernel, void** arguments, cudaStream_t stream) {
  return cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(current_sm_count())),
                                     dim3(cooperative_threads), arguments, 0, stream);
}

}  // namespace

cudaError_t launch_grid_sync(int rounds, cudaStream_t stream) {
  void* arguments[] = {&rounds};
  return launch(reinterpret_cast<const void*>(&grid_sync_kernel), arguments, stream);
}

cudaError_t launch_checked_grid_sync(int rounds, unsigned* arrived, unsigned long long* missed,
                                     cudaStream_t stream) {
  void* arguments[] = {&rounds, &arrived, &missed};
  return launch(reinterpret_cast<const void*>(&checked_grid_sync_kernel), arguments, stream);
}

}  // namespace gpugauge::kernels::launch
