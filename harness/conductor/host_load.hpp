// How busy other processes kept the host's processors during a measurement.
#pragma once

#include <vector>

#include "baseline/baseline.hpp"
#include "diagnose/observation.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::conductor {

/// Number of the machine's processors; 0 where unknown.
double processors(const result::Run& run);

/// Adds the host's load, pressure, steal time and throttled periods to the telemetry. Leaves out what was as
/// high in the rounds of `before`; nullptr = nothing to compare with.
void add_host_load(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
                   diagnose::Observation& out);

/// Adds the time to read the processor's clock, then and now, where it shows that the processor itself was
/// slower (judge/pace.hpp). Elsewhere these readings vary from minute to minute on healthy machines and mean
/// nothing.
void add_processor_pace(const std::vector<judge::Verdict>& verdicts, const std::vector<result::Run>& runs,
                        const std::vector<result::Run>& before, diagnose::Observation& out);

/// Adds the processors' mean clock under load, and the clock of the rounds of `before` where the processors
/// were not clearly busier then: idle ones lower the mean. nullptr = nothing to compare with.
void add_processor_clock(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
                         diagnose::Observation& out);

/// True where others kept the processors busy, or a thread waited for one, for 10 % of the time or more in
/// the rounds of `before`, and `rounds` are not clearly worse. Contention then explains no slowdown between
/// the two.
bool was_as_contended(const baseline::Baseline& before, const std::vector<result::Run>& rounds);

}  // namespace gpugauge::conductor
