// Samples from a process of its own that uses the GPU beside this one.
#pragma once

#include "support/fresh_process.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// run_fresh(), for a process that makes a context on the current GPU. Where it fails and the GPU's compute
/// mode lets one process in only, the trial is skipped by that name: nothing is wrong with the GPU. Else
/// throws like run_fresh.
FreshResult run_fresh_on_gpu(Trial& trial, const FreshProcess& process);

}  // namespace gpugauge::bench::cuda
