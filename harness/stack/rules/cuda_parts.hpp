// Parts of check_cuda, check_libraries and check_frameworks, one per subject.
#pragma once

#include "stack/rules/rules.hpp"

namespace gpugauge::stack {

/// A forward-compatibility package in use on GPUs that it does not support, or older than the driver.
void check_forward_compatibility(const RuleInput& input, Findings& findings);
/// Variables that lead to different toolkits.
void check_toolkit_environment(const RuleInput& input, Findings& findings);
/// The host compiler against the toolkit's nvcc.
void check_host_compiler(const RuleInput& input, Findings& findings);
/// nvcc beside a framework of another CUDA: no fault, but worth a note where extensions can be built.
void check_extension_builds(const RuleInput& input, Findings& findings);
/// The toolkit against the distribution.
void check_toolkit_system(const RuleInput& input, Findings& findings);

/// Copies of one library that do not belong together, or that hide each other.
void check_copies(const RuleInput& input, Findings& findings);
/// Files mapped by a running process.
void check_mapped(const RuleInput& input, Findings& findings);

/// The architectures in a framework's binaries against the GPUs.
void check_architectures(const RuleInput& input, Findings& findings);
/// CUDA's libraries and cuDNN: those that a framework needs against those present.
void check_needs(const RuleInput& input, Findings& findings);

}  // namespace gpugauge::stack
