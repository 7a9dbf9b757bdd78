// The files of harness/diagnose/reports, embedded when this command was built.
// scripts/cmake/EmbedData.cmake writes the definition.
#pragma once

#include <vector>

#include "stack/compat/tables.hpp"

namespace gpugauge::diagnose {

using stack::DataFile;

/// Every JSON file, with its path below the folder.
std::vector<DataFile> embedded_reports();

}  // namespace gpugauge::diagnose
