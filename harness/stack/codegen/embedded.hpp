// The files kernels/<folder>/<file>.codegen.json, embedded when this command was built.
// scripts/cmake/EmbedData.cmake writes the definition.
#pragma once

#include <vector>

#include "stack/compat/tables.hpp"

namespace gpugauge::stack {

/// Every file, with its path below kernels/.
std::vector<DataFile> embedded_codegen();

}  // namespace gpugauge::stack
