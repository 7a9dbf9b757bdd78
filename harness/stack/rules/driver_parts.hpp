// Shared by the files of the driver rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/rules/support.hpp"

namespace gpugauge::stack {

/// Compute capabilities of the GPUs that report one; empty if none answered.
std::vector<Version> gpu_capabilities(const Inventory& inventory);

/// True if the host's loader finds no libcuda and a container keeps the driver (NVIDIA's GPU Operator, Google's
/// installer): it brings a module to every kernel that is started, so none need be installed here.
bool is_brought_by_container(const Inventory& inventory);

/// How `kernel` gets the NVIDIA module that it lacks, the way modules are installed on this machine. Empty if
/// `kernel` is.
std::vector<std::string> module_steps(const Inventory& inventory, std::string_view kernel);

void check_next_boot(const RuleInput& input, Findings& findings);  ///< a module for the newest kernel
void check_kernel(const RuleInput& input, const Version& driver,
                  Findings& findings);                          ///< a kernel that this driver is too old for
void check_upkeep(const RuleInput& input, Findings& findings);  ///< holds, unattended upgrades
void check_modes(const RuleInput& input,
                 Findings& findings);  ///< module options, vGPU, confidential computing

}  // namespace gpugauge::stack
