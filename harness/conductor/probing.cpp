#include "conductor/probing.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "conductor/diagnosed.hpp"
#include "conductor/probe_run.hpp"
#include "result/stopwatch.hpp"

namespace gpugauge::conductor {
namespace {

/// Writes the answer into the observation as facts, with the probe that measured it.
void write_down(const diagnose::ProbeEntry& probe, const Found& found, diagnose::Observation& observation) {
  for (const auto& [key, value] : found.telemetry) observation.telemetry[key] = value;
  if (found.outcome.empty()) {
    // The repetitions showed something else: the slowness passed by itself.
    if (!found.passed) return;
    diagnose::Probe fact;
    fact.name = "repeat_later";
    fact.outcome = "normal";
    fact.by = probe.id;
    observation.probes.push_back(std::move(fact));
    return;
  }
  const std::size_t before = observation.probes.size();
  diagnose::add_answer(probe, found.outcome, found.detail, observation);
  if (observation.probes.size() == before) return;
  observation.probes.back().factor = found.factor;
  observation.probes.back().factor_without = found.factor_without;
}

/// Reports a worthwhile question for which no time was left.
void say_what_was_too_dear(const std::vector<diagnose::Costed>& too_dear, double seconds_left,
                           report::DeviceReport& device) {
  const auto worth = diagnose::worth_asking(*device.observation, too_dear);
  if (worth.empty()) return;
  const diagnose::WorthAsking& best = worth.front();
  device.probes.push_back({std::string(best.probe->id), std::string(best.probe->question), best.between, "",
                           fmt::format("it takes about {:.0f} s, and {:.0f} s are left", best.seconds,
                                       std::max(0.0, seconds_left)),
                           0});
}

}  // namespace

bool ask_probes(const MeasureOptions& options, const Target& target, const Catalogue& catalogue,
                const baseline::Baseline* before, double seconds_left, report::DeviceReport& device) {
  if (!device.observation || !device.diagnosis) return true;
  const result::Stopwatch asking;
  const double most = std::min(seconds_left, probes_most_seconds);
  const ProbeContext context{options, target, catalogue, device, before};
  std::set<std::string_view> asked;
  while (static_cast<int>(asked.size()) < probes_most) {
    std::vector<diagnose::Costed> possible;
    std::vector<diagnose::Costed> too_dear;
    for (const diagnose::ProbeEntry& probe : diagnose::probe_table()) {
      if (asked.contains(probe.id) ||
          !diagnose::applies(probe, *device.observation, target.kind != DeviceKind::host))
        continue;
      if (const auto cost = cost_of(probe, context))
        (*cost <= most - asking.seconds() ? possible : too_dear).push_back({&probe, std::max(*cost, .1)});
    }
    const auto worth = diagnose::worth_asking(*device.observation, possible);
    if (worth.empty()) {
      say_what_was_too_dear(too_dear, most - asking.seconds(), device);
      break;
    }
    const diagnose::ProbeEntry& probe = *worth.front().probe;
    asked.insert(probe.id);
    const double began = asking.seconds();
    const Found found = run_probe(probe, context, most - began);
    device.probes.push_back({std::string(probe.id), std::string(probe.question), worth.front().between,
                             found.outcome, found.outcome.empty() ? found.no_answer : found.words,
                             asking.seconds() - began});
    if (found.stopped) return false;
    write_down(probe, found, *device.observation);
    device.diagnosis = diagnosed(device);
  }
  return true;
}

}  // namespace gpugauge::conductor
