// PTX that this executable carries as text, so that it is compiled when it is loaded and not before.
#pragma once

#include <string>
#include <vector>

namespace gpugauge::bench::first_launch {

/// A file of ptx/, compiled to PTX.
struct DataFile {
  std::string name;  ///< "first_kernel.ptx"
  std::string text;
};

/// All of them. scripts/cmake/EmbedData.cmake writes the definition.
std::vector<DataFile> embedded_ptx();

}  // namespace gpugauge::bench::first_launch
