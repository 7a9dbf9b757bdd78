// Shared by the files of the GPU rules.
#pragma once

#include <string>
#include <string_view>

#include "stack/rules/support.hpp"

namespace gpugauge::stack {

/// Lost GPUs, memory errors and their consequences, heat, power brakes.
void check_health(const RuleInput& input, const GpuViews& gpus, Findings& findings);
void check_presence(const RuleInput& input, const GpuViews& gpus,
                    Findings& findings);  ///< counts, generations
/// Modes, limits, clocks, PCIe links and other processes.
void check_settings(const RuleInput& input, const GpuViews& gpus, Findings& findings);
void check_siblings(const RuleInput& input, const GpuViews& gpus,
                    Findings& findings);  ///< one unlike the rest
/// GPU errors in the kernel's log.
void check_xids(const RuleInput& input, Findings& findings);
/// NVSwitch errors in the kernel's log.
void check_switches(const RuleInput& input, Findings& findings);
/// GPUs on the PCI bus for which the driver does not answer.
void check_unanswered(const RuleInput& input, const GpuViews& gpus, Findings& findings);

/// "Drain the node, then reset the GPU: sudo nvidia-smi --gpu-reset -i 0000:3b:00.0 ..."; without an address
/// if it is unknown. Never uses an index: it would be this process's own, and in a container 0 may be any GPU
/// of the node. Without -i the command resets every GPU; it is refused while a program has one open.
std::string reset_advice(const Inventory& inventory, const GpuViews& some);

/// The command that gives these options of nvidia-smi to these GPUs and to no other, in backticks: "`sudo nvidia-smi -i
/// 0000:3b:00.0 -mig 0`", a loop over several. By address, as reset_advice().
std::string smi_for(const GpuViews& some, std::string_view options);

/// What a GPU was doing when it was asked.
enum class Activity { idle, used, unknown };
/// Idle only if no process uses it and the driver reports it at rest: a process of another container may not
/// be listed.
Activity activity_of(const GpuView& gpu);

}  // namespace gpugauge::stack
