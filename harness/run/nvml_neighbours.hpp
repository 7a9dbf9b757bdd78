// Counts the processes that use a GPU, as NVML tells them.
#pragma once

#include <optional>

#include "run/nvml_health.hpp"

namespace gpugauge::run {

/// Asks an initialised NVML. Every call may hang or crash with a broken driver.
class NvmlNeighbours {
 public:
  /// `library` comes from dlopen() and must outlive this object.
  explicit NvmlNeighbours(void* library);

  /// Processes that compute on the GPU. nullopt where NVML does not tell it (too old, not supported, no
  /// permission), and of a GPU that is divided (MIG), where the processes of other instances are no neighbours.
  /// Process ids are not looked at: they may be those of another namespace.
  std::optional<unsigned> processes(NvmlGpu gpu) const;

 private:
  int (*processes_)(NvmlGpu, unsigned* count,
                    void* infos) = nullptr;  ///< what `infos` holds differs by version
  int (*mig_mode_)(NvmlGpu, unsigned* now, unsigned* pending) = nullptr;
};

}  // namespace gpugauge::run
