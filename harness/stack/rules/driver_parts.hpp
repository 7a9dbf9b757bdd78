// Between the files of the driver rules.
#pragma once

#include "stack/rules/support.hpp"

namespace gpugauge::stack {

/// Of the GPUs that told it; empty where none answered.
std::vector<Version> gpu_capabilities(const Inventory& inventory);

void check_next_boot(const RuleInput& input, Findings& findings);  ///< a module for the newest kernel
void check_kernel(const RuleInput& input, const Version& driver,
                  Findings& findings);                          ///< a kernel that this driver is too old for
void check_upkeep(const RuleInput& input, Findings& findings);  ///< holds, unattended upgrades
void check_modes(const RuleInput& input,
                 Findings& findings);  ///< module options, vGPU, confidential computing

}  // namespace gpugauge::stack
