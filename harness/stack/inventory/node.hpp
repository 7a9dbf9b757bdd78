// The part of an inventory that a measurement shows beside its verdicts: the same collectors and the same
// table as the doctor's, without asking the driver again.
#pragma once

#include <vector>

#include "stack/gpu_report.hpp"
#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// Driver, GPUs, toolkits, CUDA's libraries, host and container; no package logs, kernel log or Python. What
/// the driver says of itself and of the GPUs is the report's.
Inventory inventory_of_node(const GpuReport& gpus, const Context& context);

/// overview() of it, with the CUDA that this build is linked with.
std::vector<Layer> layers(const Inventory& node);

/// Both, of the live machine.
std::vector<Layer> layers_of_node(const GpuReport& gpus);

}  // namespace gpugauge::stack
