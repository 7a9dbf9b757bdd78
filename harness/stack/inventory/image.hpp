// Files of a machine that does not run: a mounted image, a container's root file system.
#pragma once

#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// Another root than "/", and no kernel runs below it: nothing can be said of a loaded module, of GPUs, of
/// processes, or of what only a running machine has.
bool is_image(const Inventory& inventory);

/// Of an image: says of each item that only a running machine has and that is absent so, why it is.
void mark_running_only(Inventory& inventory);

}  // namespace gpugauge::stack
