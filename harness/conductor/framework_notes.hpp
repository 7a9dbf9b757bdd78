// What a probe of a framework notes beside its figures.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds of every framework that was measured: its facts and switches as inventory and settings, its kernels,
/// and to the figures of its operations whose they are and of which type. Where `before` is not nullptr: the
/// switches that stood otherwise in its rounds. Nothing where no framework was measured.
void add_framework_notes(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
                         diagnose::Observation& out);

}  // namespace gpugauge::conductor
