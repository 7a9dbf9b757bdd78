// What a benchmark needs, held against the environment of this process.
#pragma once

#include <optional>
#include <string>

#include "support/definition.hpp"

namespace gpugauge::bench {

/// Returns why a benchmark with these requirements cannot be measured on this machine ("needs 2 GPUs, this
/// process sees 1"), or nullopt.
std::optional<std::string> unmet(const Requirements& requirements);

/// Whether it replaces another benchmark on other GPUs than this one; false where none is known.
bool stands_in_elsewhere(const Requirements& requirements);

}  // namespace gpugauge::bench
