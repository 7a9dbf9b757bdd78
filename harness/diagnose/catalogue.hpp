// Every cause that a diagnosis can name. Adding one is one entry in a file of causes/.
#pragma once

#include <string_view>
#include <vector>

#include "diagnose/signature.hpp"

namespace gpugauge::diagnose {

/// Causes in the order in which equals are ranked.
using Signatures = std::vector<Signature>;

/// All of them, in the order of the files below; each name once.
const Signatures& catalogue();
/// nullptr for a name that is not there.
const Signature* find_signature(std::string_view name);

// The files of causes/, by subject.
Signatures tf32_causes();
Signatures tensor_core_causes();
Signatures convolution_causes();
Signatures library_causes();
Signatures binary_causes();
Signatures framework_causes();
Signatures driver_start_causes();
Signatures start_failure_causes();
Signatures module_causes();
Signatures start_up_causes();
Signatures launch_causes();
Signatures host_causes();
Signatures neighbour_causes();
Signatures clock_causes();
Signatures power_causes();
Signatures memory_causes();
Signatures managed_memory_causes();
Signatures link_causes();
Signatures copy_causes();
Signatures collective_causes();
Signatures collective_setting_causes();
Signatures software_causes();
Signatures silent_causes();
Signatures change_causes();

}  // namespace gpugauge::diagnose
