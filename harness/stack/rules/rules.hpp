// Rules that turn an inventory into findings. Pure functions: they look nothing up on the machine. Each group
// is one file. A rule that lacks an item it needs stays silent, unless the lack itself matters.
#pragma once

#include <string>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/rules/finding.hpp"

namespace gpugauge::stack {

/// The machine's purpose. Production needs supported branches, and versions that do not change by themselves.
enum class Policy { development, production };

/// Input of every rule. The references must outlive it.
struct RuleInput {
  const Inventory& inventory;  ///< of one machine or image
  const Tables& tables;        ///< those of this build, or a test's
  /// Production: also warns of what is acceptable on a development machine.
  Policy policy = Policy::development;
  std::string today;  ///< "2026-11-21": compared with end-of-life dates
};

/// In the order in which rules add them, unless stated otherwise.
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

/// Applies all rules. Worst first; a cause that follows from another comes after it. Each cause appears once:
/// several GPUs or copies become evidence of one finding.
Findings diagnose_stack(const RuleInput& input);

}  // namespace gpugauge::stack
