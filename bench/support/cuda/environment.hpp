// Gives the family's runner its GPU: why there is none, its compute capability, its facts. Included by the
// timers, so that every GPU benchmark does it.
#pragma once

namespace gpugauge::bench::cuda {

/// Sets bench::environment(). Returns true.
bool register_environment();

/// In a header on purpose: the linker drops an object file of a static library that nobody refers to, and its
/// static initialisers with it.
inline const bool environment_registered = register_environment();

}  // namespace gpugauge::bench::cuda
