// A run file's fingerprint as an inventory: what a node was when it was measured, in the keys of
// docs/inventory.md.
#pragma once

#include "result/run_file.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// The facts that have a key in an inventory; `collected.from` is "run file". A fingerprint looks at less
/// than the doctor does: of what it does not name, nobody looked.
Inventory inventory_of_run(const result::Run& run, const std::string& source);

/// Made by inventory_of_run: what is missing in it was not looked for, also where the doctor would have.
bool is_of_run(const Inventory& inventory);

}  // namespace gpugauge::stack
