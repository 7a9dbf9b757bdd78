#include "run/nvml_neighbours.hpp"

#include <dlfcn.h>

namespace gpugauge::run {

NvmlNeighbours::NvmlNeighbours(void* library) {
  for (const char* const name :
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
        "nvmlDeviceGetComputeRunningProcesses"})
    if (processes_ == nullptr) processes_ = reinterpret_cast<decltype(processes_)>(dlsym(library, name));
  mig_mode_ = reinterpret_cast<decltype(mig_mode_)>(dlsym(library, "nvmlDeviceGetMigMode"));
}

std::optional<unsigned> NvmlNeighbours::processes(NvmlGpu gpu) const {
  constexpr int done = 0;               // NVML_SUCCESS: there are none
  constexpr int insufficient_size = 7;  // NVML_ERROR_INSUFFICIENT_SIZE: `count` says how many there are
  unsigned mig = 0, pending = 0, count = 0;
  if (mig_mode_ != nullptr && mig_mode_(gpu, &mig, &pending) == done && mig != 0) return std::nullopt;
  if (processes_ == nullptr) return std::nullopt;
  const int code = processes_(gpu, &count, nullptr);
  return code == done || code == insufficient_size ? std::optional(count) : std::nullopt;
}

}  // namespace gpugauge::run
