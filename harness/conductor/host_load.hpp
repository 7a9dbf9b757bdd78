// How busy others kept the host's processors while a device was measured.
#pragma once

#include <vector>

#include "baseline/baseline.hpp"
#include "diagnose/observation.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::conductor {

/// The machine's processors; 0 where unknown.
double processors(const result::Run& run);

/// Adds the load, pressure, steal time and throttled periods of the host to the telemetry. What was as high
/// in the rounds of `before` is no news and left out; nullptr = nothing to compare with.
void add_host_load(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
                   diagnose::Observation& out);

/// Adds what reading the processor's clock took, then and now, where it tells that the processor itself was
/// slower beside what is shown to be slower (judge/pace.hpp). Elsewhere readings differ by the minute on
/// healthy machines, and say nothing.
void add_processor_pace(const std::vector<judge::Verdict>& verdicts, const std::vector<result::Run>& runs,
                        const std::vector<result::Run>& before, diagnose::Observation& out);

/// True where others kept the processors busy, or some thread waited for one, for a tenth of the time or more
/// in the rounds of `before`, and not clearly more in `rounds`: that explains nothing that became slower in
/// between.
bool was_as_contended(const baseline::Baseline& before, const std::vector<result::Run>& rounds);

}  // namespace gpugauge::conductor
