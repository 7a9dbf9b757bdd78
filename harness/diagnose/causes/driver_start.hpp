// What the signatures of a start that fails ask.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// CUDA finds no device.
Fact no_device(const Seen& seen);
/// NVML answers.
Fact nvml_works(const Seen& seen);
/// NVML says that library and kernel module are of different versions.
Fact nvml_mismatch(const Seen& seen);
/// NVML lists the GPUs of a machine with NVSwitch, and CUDA finds none.
Fact board_without_devices(const Seen& seen);

}  // namespace gpugauge::diagnose
