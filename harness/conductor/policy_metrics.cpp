#include "conductor/policy_metrics.hpp"

namespace gpugauge::conductor {

judge::KnownBenchmarks known_benchmarks(const Catalogue& catalogue) {
  judge::KnownBenchmarks out;
  for (const Benchmark& benchmark : catalogue.benchmarks) {
    for (const std::string& name : benchmark.more_classes) out.benchmarks.push_back({benchmark.id, name});
    out.benchmarks.push_back({benchmark.id, benchmark.metric_class});
  }
  for (const SilentFamily& family : catalogue.silent) out.silent.push_back(family.name);
  return out;
}

judge::SeenMetrics seen_in(const std::vector<report::DeviceReport>& devices) {
  judge::SeenMetrics out;
  for (const report::DeviceReport& device : devices) {
    out.add_measured(device.rounds);
    out.add_reference(device.reference);
    out.add(device.verdicts);
  }
  return out;
}

}  // namespace gpugauge::conductor
