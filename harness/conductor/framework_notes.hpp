// What the framework probes note beside their figures.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds each measured framework's facts and switches as inventory and settings, and its kernels. Its
/// operations' figures get their framework and data type, and the products of our own cuBLAS beside them are
/// the probe native_benchmark. With `before`, it also adds the switches that
/// differed in those rounds. Adds nothing where no framework was measured.
void add_framework_notes(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
                         diagnose::Observation& out);

}  // namespace gpugauge::conductor
