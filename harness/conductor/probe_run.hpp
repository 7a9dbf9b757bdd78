// One probe made: what diagnose/probe_table.cpp describes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "conductor/conductor.hpp"
#include "diagnose/probes.hpp"

namespace gpugauge::conductor {

/// What a probe found.
struct Found {
  std::string outcome;                   ///< of diagnose::probe_outcomes; "" = no answer
  std::string detail;                    ///< of the fact in the observation
  std::string words;                     ///< what was found, for people, without a full stop
  std::string no_answer;                 ///< where there is none: why, the end of "because"
  std::optional<double> factor;          ///< slowness as the probe measured it, 1 = as the reference
  std::optional<double> factor_without;  ///< the same measured again without what the probe changes
  std::map<std::string, diagnose::Value> telemetry;  ///< facts for the observation, by its keys
  bool passed = false;                               ///< what was slow is no longer slow as it was
  bool stopped = false;                              ///< a signal asked the command to stop
};

/// What a probe is made with.
struct ProbeContext {
  const MeasureOptions& options;               ///< of the check
  const Target& target;                        ///< the device that is asked about
  const Catalogue& catalogue;                  ///< what can be measured
  const report::DeviceReport& device;          ///< its rounds and verdicts
  const baseline::Baseline* before = nullptr;  ///< what it was compared with; nullptr = nothing
};

/// Seconds that the probe would take now; nullopt where it cannot be made here: nothing slow that a family
/// can repeat, or a benchmark that is not installed.
std::optional<double> cost_of(const diagnose::ProbeEntry& probe, const ProbeContext& context);

/// Makes it. A child may take at most `limit_seconds`; what a child does never throws.
Found run_probe(const diagnose::ProbeEntry& probe, const ProbeContext& context, double limit_seconds);

}  // namespace gpugauge::conductor
