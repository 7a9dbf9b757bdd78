// What is known of a GPU by its compute capability or the name of its model.
#pragma once

#include <string_view>

#include "diagnose/seen.hpp"
#include "stack/compat/tables.hpp"

namespace gpugauge::diagnose {

/// The architecture of the GPU, from the tables of compatibility; nullptr where neither its compute capability nor its
/// model is known.
const stack::Architecture* architecture(const Seen& seen);

/// False for a generation before Turing (7.5), which NVIDIA's open kernel module does not drive:
/// https://github.com/NVIDIA/open-gpu-kernel-modules#readme.
bool open_module_drives(const stack::Architecture& architecture);

/// True for the name of a vGPU, by its profile: board, dash, frame buffer in GB, and the letter of the licence or that of
/// compute ("L40S-24Q", "GRID A100-10C").
bool is_vgpu_profile(std::string_view name);

}  // namespace gpugauge::diagnose
