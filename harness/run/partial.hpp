// Why a run is partial, in words.
#pragma once

#include <string>
#include <vector>

#include "result/run_file.hpp"
#include "run/order.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {

/// The clause that says which of the planned processes were not measured, and why; "" where all were. A
/// process that was interrupted counts as not measured. `stopped_by` names the signal that stopped the run,
/// "" if none did.
std::string partial_reason(const Plan& plan, const std::vector<Step>& steps,
                           const std::vector<result::Process>& processes, const std::string& stopped_by);

}  // namespace gpugauge::run
