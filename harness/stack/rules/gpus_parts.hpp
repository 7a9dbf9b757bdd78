// Between the files of the GPU rules.
#pragma once

#include "stack/rules/support.hpp"

namespace gpugauge::stack {

/// Lost GPUs, memory errors and what they left, heat, power brakes.
void check_health(const RuleInput& input, const GpuViews& gpus, Findings& findings);
void check_presence(const RuleInput& input, const GpuViews& gpus,
                    Findings& findings);  ///< counts, generations
/// Modes, limits, clocks, PCIe links and other processes.
void check_settings(const RuleInput& input, const GpuViews& gpus, Findings& findings);
void check_siblings(const RuleInput& input, const GpuViews& gpus,
                    Findings& findings);  ///< one unlike the rest
/// Errors of GPUs in the kernel's log.
void check_xids(const RuleInput& input, Findings& findings);

}  // namespace gpugauge::stack
