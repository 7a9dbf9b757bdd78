// Google Benchmark's own JSON, of any project.
#include "result/google_benchmark.hpp"

#include <cmath>

#include "fuzz/support/target.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  const std::string text(bytes);
  result::is_google_benchmark(text);
  result::Run run;
  if (!accepted([&] { run = result::parse_google_benchmark(text, "benchmark.json"); })) return;
  require(std::isfinite(run.wall_seconds), "the run's time is not finite");
  require(run.id.size() == 26, "the run's id is none");
  for (const result::Process& process : run.processes) {
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      require(std::isfinite(benchmark.batches.window_seconds), "a window is not finite");
      for (const result::Metric& metric : benchmark.metrics)
        require(std::isfinite(metric.value) && metric.value > 0, "a value is not above 0");
    }
  }
}

const Target target("google_benchmark", read);

}  // namespace
}  // namespace gpugauge::fuzz
