// Converts a run file's fingerprint to an inventory: the node at the time of the measurement, in the keys of
// docs/inventory.md.
#pragma once

#include "result/run_file.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// Takes the facts that have a key in an inventory; `collected.from` is "run file". A fingerprint covers less
/// than the doctor. Nobody looked for what it does not name.
Inventory inventory_of_run(const result::Run& run, const std::string& source);

/// True for a result of inventory_of_run. What it lacks was not looked for, even where the doctor would look.
bool is_of_run(const Inventory& inventory);

}  // namespace gpugauge::stack
