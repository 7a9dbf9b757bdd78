// Samples from a separate process that uses the GPU beside this one.
#pragma once

#include "support/fresh_process.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Calls run_fresh() for a process that makes a context on the current GPU. Where it fails because the
/// compute mode allows only one process, the trial is skipped with that reason: the GPU is not at fault.
/// Otherwise throws like run_fresh.
FreshResult run_fresh_on_gpu(Trial& trial, const FreshProcess& process);

}  // namespace gpugauge::bench::cuda
