// Counts the processes that use a GPU, as NVML tells them.
#pragma once

#include <optional>

#include "stack/nvml.hpp"

namespace gpugauge::run {

/// Asks an initialised NVML. Every call may hang or crash with a broken driver.
class NvmlNeighbours {
 public:
  /// `library` must outlive this object.
  explicit NvmlNeighbours(const stack::SharedObject& library) : library_(library) {}

  /// Processes that compute on the GPU. nullopt where NVML does not tell it (too old, not supported, no
  /// permission), and of a GPU that is divided (MIG), where the processes of other instances are no neighbours.
  /// Process ids are not looked at: they may be those of another namespace.
  std::optional<unsigned> processes(stack::nvml::Device gpu) const;

 private:
  const stack::SharedObject& library_;
};

}  // namespace gpugauge::run
