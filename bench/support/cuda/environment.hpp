// Gives the family's runner its GPU: why there is none, its compute capability, its facts. The timers include
// this header, so that it applies to every GPU benchmark.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "result/samples.hpp"

namespace gpugauge::bench::cuda {

/// Sets bench::environment(). Returns true.
bool register_environment();

/// What a family's library reports once the GPU can be used.
struct Library {
  std::function<std::optional<std::string>()> unavailable;  ///< one sentence why it cannot be used here
  std::function<void(result::Facts&)> describe;             ///< adds its version to the context
};

/// Adds a library to the process's environment. Call it from a static initialiser in an object file of the
/// family itself. Returns true.
bool register_library(Library library);

/// This is in a header on purpose. The linker drops an object file of a static library that nobody refers to,
/// with its static initialisers.
inline const bool environment_registered = register_environment();

}  // namespace gpugauge::bench::cuda
