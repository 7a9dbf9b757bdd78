// docs/findings.md, embedded when this command was built. scripts/cmake/EmbedData.cmake writes the
// definition.
#pragma once

#include <vector>

#include "stack/compat/tables.hpp"

namespace gpugauge::stack {

/// One file: the page.
std::vector<DataFile> embedded_findings_page();

}  // namespace gpugauge::stack
