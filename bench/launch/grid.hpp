// Shared by the benchmarks of cooperative kernels.
#pragma once

#include <vector>

#include "kernels/launch/cooperative.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::launch {

/// Skips the instance where cooperative launches are not supported, by the GPU or under a tool.
inline void require_cooperative(Trial& trial) {
  int supported = 0;
  cuda::check(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0),
              "asking for cooperative launches");
  if (supported == 0) trial.skip("this GPU, as it is used here, has no cooperative launches");
}

/// Verifies that no block passes a grid synchronisation before every block has arrived.
inline void verify_grid_sync(Trial& trial, cudaStream_t stream) {
  constexpr int rounds = 200;
  const cuda::DeviceBuffer<unsigned> arrived(rounds);
  cuda::check(cudaMemset(arrived.get(), 0, arrived.bytes()), "clearing GPU memory");
  const cuda::DeviceValue<unsigned long long> missed;
  cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  cuda::check(kernels::launch::launch_checked_grid_sync(rounds, arrived.get(), missed.get(), stream),
              "launching a cooperative kernel");
  const unsigned long long early = missed.read(stream);
  std::vector<unsigned> counts(rounds);
  cuda::check(cudaMemcpy(counts.data(), arrived.get(), arrived.bytes(), cudaMemcpyDeviceToHost),
              "reading back");
  const auto blocks = static_cast<unsigned>(cuda::device().sm_count);
  std::size_t wrong = 0;
  for (const unsigned count : counts) wrong += count == blocks ? 0 : 1;
  trial.verify("blocks that passed a synchronisation of the grid before all had arrived",
               static_cast<double>(early), 0);
  trial.verify("synchronisations at which not every block arrived once", static_cast<double>(wrong), 0);
}

}  // namespace gpugauge::bench::launch
