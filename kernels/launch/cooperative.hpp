// Kernels whose blocks wait for each other.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::launch {

inline constexpr int cooperative_threads = 256;

/// Launches cooperatively one block per SM of the current device, which synchronises the whole grid `rounds`
/// times (0 and up). The device must support cooperative launches.
cudaError_t launch_grid_sync(int rounds, cudaStream_t stream);

/// As launch_grid_sync(). Adds 1 to *missed per block and round in which the block passed the synchronisation
/// before every block had arrived. `arrived` holds `rounds` counters of 0.
cudaError_t launch_checked_grid_sync(int rounds, unsigned* arrived, unsigned long long* missed,
                                     cudaStream_t stream);

}  // namespace gpugauge::kernels::launch
