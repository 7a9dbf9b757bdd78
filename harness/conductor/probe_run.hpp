// Runs one probe of diagnose/probe_table.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "conductor/conductor.hpp"
#include "diagnose/probes.hpp"

namespace gpugauge::conductor {

/// What a probe found.
struct Found {
  std::string outcome;                   ///< one of diagnose::probe_outcomes; "" = no answer
  std::string detail;                    ///< detail of the fact in the observation
  std::string words;                     ///< what was found, for people, without a full stop
  std::string no_answer;                 ///< why there is no answer: the rest of a sentence after "because"
  std::optional<double> factor;          ///< measured slowness; 1 = as fast as the reference
  std::optional<double> factor_without;  ///< slowness measured without what the probe changes
  std::map<std::string, diagnose::Value> telemetry;  ///< facts for the observation, by key
  bool passed = false;                               ///< true when the slow metric is no longer as slow
  bool stopped = false;                              ///< a signal asked the command to stop
};

/// Everything that a probe needs.
struct ProbeContext {
  const MeasureOptions& options;               ///< the check's options
  const Target& target;                        ///< the device under question
  const Catalogue& catalogue;                  ///< what can be measured
  const report::DeviceReport& device;          ///< its rounds and verdicts
  const baseline::Baseline* before = nullptr;  ///< what it was compared with; nullptr = nothing
};

/// Estimated seconds of the probe. nullopt where it cannot run here: no family can repeat a slow metric, or a
/// benchmark is not installed.
std::optional<double> cost_of(const diagnose::ProbeEntry& probe, const ProbeContext& context);

/// Runs the probe. A child may take at most `limit_seconds`. A failing child never causes an exception.
Found run_probe(const diagnose::ProbeEntry& probe, const ProbeContext& context, double limit_seconds);

}  // namespace gpugauge::conductor
