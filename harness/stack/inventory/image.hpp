// Handles files of a machine that is not running: a mounted image, a container's root file system.
#pragma once

#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// True if the root is not "/" and no kernel runs below it. Then nothing is known about a loaded module,
/// GPUs, processes, or anything else that only a running machine has.
bool is_image(const Inventory& inventory);

/// For an image: adds to each absent item of a running machine why it is absent.
void mark_running_only(Inventory& inventory);

}  // namespace gpugauge::stack
