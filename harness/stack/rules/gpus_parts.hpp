// Between the files of the GPU rules.
#pragma once

#include "stack/rules/support.hpp"

namespace gpugauge::stack {

void check_health(const RuleInput& input, const GpuViews& gpus, Findings& findings);
void check_presence(const RuleInput& input, const GpuViews& gpus,
                    Findings& findings);  ///< counts, generations
void check_settings(const RuleInput& input, const GpuViews& gpus, Findings& findings);
void check_siblings(const RuleInput& input, const GpuViews& gpus,
                    Findings& findings);  ///< one unlike the rest
void check_xids(const RuleInput& input, Findings& findings);

}  // namespace gpugauge::stack
