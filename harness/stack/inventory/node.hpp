// The part of an inventory that a measurement shows beside its verdicts: the same collectors and the same
// table as the doctor's, without asking the driver again.
#pragma once

#include <vector>

#include "stack/gpu_report.hpp"
#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// What files tell: driver, toolkits, CUDA's libraries, host and container; no package logs, kernel log or
/// Python. About a tenth of a second; nothing is asked of the driver, so that it can be read while another
/// process asks.
Inventory files_of_node(const Context& context);

/// The same with what the driver said of itself and of the GPUs.
Inventory with_report(Inventory files, const GpuReport& gpus);

/// overview() of it, with the CUDA that this build is linked with.
std::vector<Layer> layers(const Inventory& node);

}  // namespace gpugauge::stack
