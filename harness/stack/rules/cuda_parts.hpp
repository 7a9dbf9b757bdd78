// The parts of check_cuda, check_libraries and check_frameworks, one subject each.
#pragma once

#include "stack/rules/rules.hpp"

namespace gpugauge::stack {

/// A forward-compatibility package in use: on GPUs that it does not support, or older than the driver.
void check_forward_compatibility(const RuleInput& input, Findings& findings);
/// Variables that lead to different toolkits.
void check_toolkit_environment(const RuleInput& input, Findings& findings);
/// The host compiler against what the toolkit's nvcc accepts.
void check_host_compiler(const RuleInput& input, Findings& findings);
/// nvcc beside a framework of another CUDA: no fault, and worth a note where extensions can be built.
void check_extension_builds(const RuleInput& input, Findings& findings);
/// The toolkit against the distribution.
void check_toolkit_system(const RuleInput& input, Findings& findings);

/// Copies of one library that do not belong together, and copies that hide each other.
void check_copies(const RuleInput& input, Findings& findings);
/// What a running process has mapped.
void check_mapped(const RuleInput& input, Findings& findings);

/// The architectures that a framework's binaries hold, against the GPUs.
void check_architectures(const RuleInput& input, Findings& findings);
/// CUDA's libraries and cuDNN that a framework needs, and those that are there.
void check_needs(const RuleInput& input, Findings& findings);

}  // namespace gpugauge::stack
