// The data files, embedded when this command was built. scripts/cmake/EmbedData.cmake writes the definition.
#pragma once

#include <vector>

#include "stack/compat/tables.hpp"

namespace gpugauge::stack {

/// Every file of harness/stack/compat/data, by name.
std::vector<DataFile> embedded_data();

}  // namespace gpugauge::stack
