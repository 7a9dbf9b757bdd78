// The catalogue of all causes that a diagnosis can name. To add a cause, add an entry in a file of causes/.
#pragma once

#include <string_view>
#include <vector>

#include "diagnose/signature.hpp"

namespace gpugauge::diagnose {

/// Causes; the order decides between equal scores.
using Signatures = std::vector<Signature>;

/// All causes, in the order of the functions below; each name is unique.
const Signatures& catalogue();
/// The cause of that name; nullptr where there is none.
const Signature* find_signature(std::string_view name);

// The causes of each file in causes/, by subject.
Signatures tf32_causes();
Signatures tensor_core_causes();
Signatures convolution_causes();
Signatures library_causes();
Signatures binary_causes();
Signatures framework_causes();
Signatures driver_start_causes();
Signatures fabric_manager_causes();
Signatures start_failure_causes();
Signatures start_refused_causes();
Signatures module_causes();
Signatures module_build_causes();
Signatures platform_causes();
Signatures start_up_causes();
Signatures launch_causes();
Signatures host_causes();
Signatures neighbour_causes();
Signatures clock_causes();
Signatures power_causes();
Signatures heat_causes();
Signatures memory_causes();
Signatures gpu_memory_causes();
Signatures container_device_causes();
Signatures engine_causes();
Signatures vgpu_causes();
Signatures input_causes();
Signatures build_causes();
Signatures asked_for_causes();
Signatures board_causes();
Signatures managed_memory_causes();
Signatures link_causes();
Signatures copy_causes();
Signatures collective_causes();
Signatures collective_setting_causes();
Signatures network_causes();
Signatures job_causes();
Signatures operation_causes();
Signatures software_causes();
Signatures silent_causes();
Signatures change_causes();

}  // namespace gpugauge::diagnose
