// The part of an inventory that a measurement shows beside its verdicts. Uses the doctor's collectors and
// table, but does not ask the driver again.
#pragma once

#include <vector>

#include "stack/gpu_report.hpp"
#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// Facts from files: driver, toolkits, CUDA's libraries, host and container; no package logs, kernel log or
/// Python. Takes about 0.1 s. Asks the driver nothing, so it can run while another process asks it.
Inventory files_of_node(const Context& context);

/// Adds what the driver said about itself and the GPUs.
Inventory with_report(Inventory files, const GpuReport& gpus);

/// overview() of the node, with the CUDA version that this build is linked with.
std::vector<Layer> layers(const Inventory& node);

}  // namespace gpugauge::stack
