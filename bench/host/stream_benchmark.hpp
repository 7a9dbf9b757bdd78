// Shared by STREAM copy and triad: everything but the streams themselves.
#pragma once

#include <string>

#include "support/definition.hpp"
#include "support/stream.hpp"

namespace gpugauge::bench::host {

/// Makes the definition of a streaming benchmark on one core and on all cores. `mechanism` says what it
/// isolates.
Definition stream_benchmark(const std::string& op, Stream::Kind kind, const std::string& mechanism);

}  // namespace gpugauge::bench::host
