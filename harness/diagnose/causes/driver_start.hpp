// Facts about a driver that fails to start, shared by several signatures.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// The compiler reports errors in the source of NVIDIA's module.
Fact module_not_compiled(const Seen& seen);
/// Files of NVIDIA's module lie in the folder of another kernel, and none in that of the one that runs.
Fact module_of_other_kernel(const Seen& seen);
/// /proc has no NVIDIA driver: no module is loaded, also seen from a container. Never under WSL, which has none.
Fact no_driver_in_proc(const Seen& seen);
/// CUDA finds no device.
Fact no_device(const Seen& seen);
/// The kernel has no region of addresses left for the memory of a device.
Fact memory_without_room(const Seen& seen);
/// NVML answers.
Fact nvml_works(const Seen& seen);
/// NVML reports that its library and the kernel module have different versions.
Fact nvml_mismatch(const Seen& seen);
/// The driver, or the kind of its module, is not one for this generation of GPUs.
Fact generation_refused(const Seen& seen);
/// It may not be: the GPU is of an old generation, and an image of the system brought another module.
Fact generation_doubtful(const Seen& seen);
/// NVML lists the GPUs of a machine with NVSwitch, but CUDA finds none.
Fact board_without_devices(const Seen& seen);

}  // namespace gpugauge::diagnose
