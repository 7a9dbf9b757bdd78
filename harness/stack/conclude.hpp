// Turns evidence into a state and a paragraph that is true in that state. Pure functions, which look nothing
// up.
#pragma once

#include <optional>
#include <string>

#include "stack/child.hpp"
#include "stack/driver_library.hpp"
#include "stack/hardware.hpp"

namespace gpugauge::stack {

/// Everything that a conclusion may use.
struct Evidence {
  Hardware hardware;                             ///< what the kernel's files show
  CudaAnswer cuda;                               ///< what libcuda answered
  NvmlAnswer nvml;                               ///< what NVML answered
  std::string container;                         ///< container_kind()
  std::optional<std::string> visible_devices;    ///< CUDA_VISIBLE_DEVICES, if set
  std::optional<std::string> container_devices;  ///< NVIDIA_VISIBLE_DEVICES, if set
  bool fabric_manager_seen = false;              ///< a process of that name runs
  std::string build_cuda;                        ///< toolkit of this build, "13.0.88"; "" without one
  std::string minimum_driver;                    ///< oldest driver for that major version
};

/// The state, its explanation and all facts of the report.
GpuReport conclude(const Evidence& evidence);

/// The conclusion if the child that should ask the driver gave no answer: it hung, crashed, or printed no
/// report.
GpuReport conclude_without_answer(const Hardware& hardware, const ChildResult& child, double limit_seconds);

/// 13020 -> "13.2"; "" for 0.
std::string cuda_version_text(int version);

}  // namespace gpugauge::stack
