// What a family says of itself, and what is chosen from it.
#include <cmath>

#include "conductor/catalogue.hpp"
#include "fuzz/support/target.hpp"

namespace gpugauge::fuzz {
namespace {

using conductor::DeviceKind;

void choose_from(const conductor::Catalogue& catalogue) {
  for (const run::Profile& profile : run::profiles()) {
    for (const DeviceKind kind : {DeviceKind::host, DeviceKind::gpu, DeviceKind::links}) {
      conductor::Choice choice;
      if (!accepted([&] { choice = conductor::choose(catalogue, profile, kind, {}, {}); })) continue;
      require(choice.benchmarks > 0 && choice.planned.size() == choice.benchmarks, "a plan lost a benchmark");
      require(std::isfinite(choice.round_seconds) && choice.round_seconds >= 0, "a round that takes no time");
      for (const run::PlannedBenchmark& planned : choice.planned)
        require(planned.processes > 0 && planned.seconds >= 0, "a benchmark that nobody measures");
    }
  }
  for (const conductor::Benchmark& benchmark : catalogue.benchmarks) {
    require(conductor::selects(benchmark.family, benchmark), "a benchmark that its family does not select");
    conductor::deeper_profile(catalogue, benchmark.metric_class);
  }
}

void read(std::string_view bytes) {
  const run::Family family{"host", "libexec/gpugauge-bench-host"};
  conductor::Catalogue catalogue;
  const bool whole =
      accepted([&] { conductor::add_family(family, std::string(bytes), "its description", catalogue); });
  require(whole == !catalogue.families.empty(), "a family that was refused is in the catalogue");
  require(whole || (catalogue.benchmarks.empty() && catalogue.start_seconds.empty()),
          "something of a family that was refused is in the catalogue");
  if (whole) choose_from(catalogue);
}

const Target target("definitions", read);

}  // namespace
}  // namespace gpugauge::fuzz
