// What STREAM copy and triad share: everything but the streams themselves.
#pragma once

#include <string>

#include "support/definition.hpp"
#include "support/stream.hpp"

namespace gpugauge::bench::host {

/// The definition of a streaming benchmark on one core and on all of them. `mechanism` says what it isolates.
Definition stream_benchmark(const std::string& op, Stream::Kind kind, const std::string& mechanism);

}  // namespace gpugauge::bench::host
