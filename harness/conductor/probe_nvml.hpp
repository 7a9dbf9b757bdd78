// The probes that ask NVML, always in a process of its own: a driver may hang.
#pragma once

#include "conductor/probe_run.hpp"

namespace gpugauge::conductor {

/// What the telemetry of a run says of the link of that GPU while it copied.
Found link_of(const result::Run& run, const std::string& uuid, const diagnose::ProbeEntry& probe);

/// How busy NVML calls the GPU during a second or two in which nothing of ours runs.
Found busy_while_idle(const std::string& uuid, double limit_seconds);

/// Seconds from the start of a process to NVML's first answer.
Found time_to_answer(const diagnose::ProbeEntry& probe, double limit_seconds);

}  // namespace gpugauge::conductor
