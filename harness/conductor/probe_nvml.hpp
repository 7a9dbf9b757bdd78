// The probes that ask NVML, each in its own process: a driver may hang.
#pragma once

#include "conductor/probe_run.hpp"

namespace gpugauge::conductor {

/// What the run's telemetry shows of that GPU's link while it copied.
Found link_of(const result::Run& run, const std::string& uuid, const diagnose::ProbeEntry& probe);

/// How busy NVML reports the GPU to be during 1 to 2 s in which this command runs nothing on it.
Found busy_while_idle(const std::string& uuid, double limit_seconds);

/// Seconds from the start of a process to NVML's first answer.
Found time_to_answer(const diagnose::ProbeEntry& probe, double limit_seconds);

}  // namespace gpugauge::conductor
