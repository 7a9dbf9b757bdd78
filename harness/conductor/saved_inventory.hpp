// Reads what `doctor --json` or a run file tells of a stack.
#pragma once

#include <string>

#include "stack/inventory/inventory.hpp"

namespace gpugauge::conductor {

/// The inventory in a file: one written by `doctor --json` (either whole report or inventory alone), or what
/// a run file's fingerprint tells (stack::is_of_run). Throws result::FileError where the file cannot be read,
/// and result::FormatError, naming the file, where it holds neither.
stack::Inventory read_inventory(const std::string& file);

}  // namespace gpugauge::conductor
