#include "conductor/product_notes.hpp"

#include <map>
#include <string>

#include "result/facts.hpp"

namespace gpugauge::conductor {

void add_product_notes(const std::vector<result::Run>& runs, diagnose::Observation& out) {
  std::map<std::string, std::string> libraries;  // benchmark -> library whose call it measures
  std::string mode;
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        if (const std::string library = result::fact(benchmark.notes, "library"); !library.empty())
          libraries[benchmark.id] = library;
        const std::string found = result::fact(benchmark.notes, "math_mode");
        if (mode.empty() || (mode == "tf32" && !found.empty())) mode = found;
      }
    }
  for (diagnose::Metric& metric : out.metrics)
    if (const auto found = libraries.find(metric.scope.op.substr(0, metric.scope.op.find(':')));
        found != libraries.end())
      metric.scope.library = found->second;
  if (!mode.empty()) out.settings["cublas.math_mode"] = diagnose::Value(mode);
}

}  // namespace gpugauge::conductor
