// Whether the driver kept what it compiled in a check's own processes, as facts of an observation. Pure.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Where a start is slower, nothing lay in the cache of first_launch/kernel/jit_warm (note cache_files) and
/// it was as slow as jit_cold: adds the probe repeat_in_fresh_process, slow, and cuda.jit_cache, empty, to the
/// inventory, and to `changed` where the rounds of `before` filled it. `before` may be nullptr. `out` must
/// have its figures and changes already.
void add_jit_cache(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
                   diagnose::Observation& out);

}  // namespace gpugauge::conductor
