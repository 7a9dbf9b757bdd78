// From an inventory to findings. Pure functions: nothing is looked up on the machine here. Each group is one
// file; a rule that lacks an item it needs stays silent, except where the lack itself matters.
#pragma once

#include <string>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/rules/finding.hpp"

namespace gpugauge::stack {

enum class Policy { development, production };

struct RuleInput {
  const Inventory& inventory;
  const Tables& tables;
  Policy policy = Policy::development;
  std::string today;  ///< "2026-11-21": end-of-life dates are compared with it
};

using Findings = std::vector<Finding>;

void check_start_up(const RuleInput& input, Findings& findings);  ///< why CUDA or NVML does not start
void check_driver(const RuleInput& input, Findings& findings);    ///< module, branch, kernel, fabric manager
void check_gpus(const RuleInput& input, Findings& findings);  ///< settings, health, generation against driver
void check_cuda(const RuleInput& input,
                Findings& findings);  ///< toolkit, runtime, PTX, forward compatibility
void check_libraries(const RuleInput& input,
                     Findings& findings);  ///< cuDNN, NCCL, mixed and duplicate copies
void check_frameworks(const RuleInput& input, Findings& findings);  ///< builds, architectures, what they miss
void check_host(const RuleInput& input, Findings& findings);  ///< container, limits, environment variables

/// All of them; worst first, causes that follow from another one after it. Each cause once: several GPUs or
/// copies are evidence of one finding.
Findings diagnose_stack(const RuleInput& input);

}  // namespace gpugauge::stack
