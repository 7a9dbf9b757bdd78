// An inventory as a few lines for one screen: every layer, each above the one it depends on.
#pragma once

#include <vector>

#include "stack/gpu_report.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// GPU, driver, CUDA, libraries, frameworks, host. A layer that was looked for is always present: "absent"
/// and "unreadable" are versions too.
std::vector<Layer> overview(const Inventory& inventory);

}  // namespace gpugauge::stack
