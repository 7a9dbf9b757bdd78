// From an inventory to findings. Pure functions: nothing is looked up on the machine here. Each group is one
// file; a rule that lacks an item it needs stays silent, except where the lack itself matters.
#pragma once

#include <string>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/rules/finding.hpp"

namespace gpugauge::stack {

/// For what the machine is used: production asks for branches that are kept, and for what does not change by
/// itself.
enum class Policy { development, production };

/// What every rule looks at. The references must outlive it.
struct RuleInput {
  const Inventory& inventory;  ///< of one machine or image
  const Tables& tables;        ///< those of this build, or a test's
  /// Production: what a development machine may do with is a warning too.
  Policy policy = Policy::development;
  std::string today;  ///< "2026-11-21": end-of-life dates are compared with it
};

/// In the order in which the rules gave them, unless said otherwise.
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
