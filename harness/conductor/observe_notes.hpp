// What single benchmarks found beside their figures, as facts of an observation. Pure.
#pragma once

#include "diagnose/observation.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {

/// Adds the drift of long loads, whether two streams overlapped, whether launches waited for their kernels,
/// and whether processes ran on their GPU's NUMA node. Each only where the benchmarks tell it alike in all
/// processes. Where cuDNN's own choice of a plan became slower, adds the probe autotune: it recovers where the
/// best plan that was measured beside it is as fast as before, and changes nothing where that is as slow.
void add_benchmark_notes(const report::DeviceReport& device, diagnose::Observation& out);

}  // namespace gpugauge::conductor
