// An inventory as the few lines that fit one screen: every layer side by side, in the order in which one
// stands on the other.
#pragma once

#include <vector>

#include "stack/gpu_report.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// GPU, driver, CUDA, libraries, frameworks, host. A layer that was looked for is always there: "absent" and
/// "unreadable" are versions too.
std::vector<Layer> overview(const Inventory& inventory);

}  // namespace gpugauge::stack
