#include "conductor/probe_processors.hpp"
#include "conductor/probe_run.hpp"
#include "conductor/suspect.hpp"

namespace gpugauge::conductor {

std::optional<double> cost_of(const diagnose::ProbeEntry& probe, const ProbeContext& context) {
  const bool several = context.target.kind == DeviceKind::links;
  std::optional<Suspect> repeated;
  int processes = 1;
  switch (probe.action) {
    case diagnose::Action::repeat:
      if (probe.processors == diagnose::Processors::local_to_gpu && !needs_pinning(context))
        return std::nullopt;
      repeated = find_suspect(context, probe.classes, probe.processors);
      processes = 4;
      break;
    case diagnose::Action::repeat_later:
      repeated = find_suspect(context, probe.classes);
      processes = 2;
      break;
    case diagnose::Action::after_idle:
      repeated = find_suspect(context, probe.classes);
      processes = 3;
      break;
    case diagnose::Action::share:
      repeated = share_benchmark(context);
      break;
    case diagnose::Action::link:
      if (several) return std::nullopt;
      repeated = find_suspect(context, probe.classes);
      break;
    case diagnose::Action::other_library:
      repeated = find_suspect(context, probe.classes);
      if (repeated) repeated = find_other_library(context, *repeated);
      processes = 2;
      break;
    case diagnose::Action::idle_gpu:
    case diagnose::Action::nvml:
      return several ? std::nullopt : std::optional<double>(probe.seconds);
  }
  if (!repeated) return std::nullopt;
  run::Profile profile = context.options.profile;
  profile.cool_down.watch_seconds = 0;  // a probe is measured without telemetry, and so does not wait
  std::vector<run::PlannedBenchmark> planned = plan_of({repeated->benchmark}, profile);
  planned.front().processes = processes;
  const double looking = probe.processors == diagnose::Processors::idle ? 1 : 0;
  return looking + probe.pause_seconds +
         round_seconds(planned, context.catalogue.start_seconds, profile, context.target.kind);
}

}  // namespace gpugauge::conductor
