// The parts of the HTML report's page, embedded when this command was built. scripts/cmake/EmbedData.cmake
// writes the definition.
#pragma once

#include <vector>

#include "stack/compat/tables.hpp"

namespace gpugauge::report {

using stack::DataFile;

/// Every file of harness/report/page, by name.
std::vector<DataFile> embedded_report_page();

}  // namespace gpugauge::report
