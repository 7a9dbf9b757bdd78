// Facts of this build.
#pragma once

#include <string>

namespace gpugauge::result {

/// Version, commit and toolkit that this executable was built from.
struct Build {
  std::string version;         ///< "0.1.0"
  std::string commit;          ///< 12 hex digits, or "unknown"
  std::string cuda;            ///< toolkit version, "" when built without one
  std::string architectures;   ///< as CMake wrote them: "80-real 90a-real"
  std::string minimum_driver;  ///< oldest Linux driver for this build's CUDA major version; "" without CUDA
};

const Build& build();  ///< the same object for the whole life of the program

}  // namespace gpugauge::result
