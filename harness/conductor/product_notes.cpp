#include "conductor/product_notes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "judge/products.hpp"
#include "result/facts.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::conductor {
namespace {

using Runs = std::vector<result::Run>;
using result::BenchmarkResult;

/// Calls `visit` for every process that left data, and each of its benchmarks.
template <typename Visit>
void each_product(const Runs& runs, const Visit& visit) {
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes)
      if (process.samples)
        for (const BenchmarkResult& benchmark : process.samples->benchmarks) visit(process, benchmark);
}

/// A product that may be computed in TF32, and whose error says that it was in fp32: one that asks for TF32
/// ("cublas/tf32/lt/..."), or one of a framework, where that is the switch's doing. Not one of odd sizes, for
/// which a healthy library may choose fp32.
bool only_fp32(const result::Process& process, const BenchmarkResult& benchmark) {
  const bool may_be_tf32 = benchmark.id.find("/tf32/") != std::string::npos ||
                           process.samples->context.contains("framework.version");
  return may_be_tf32 && judge::aligned_sizes(benchmark) &&
         result::fact(benchmark.notes, "numerics") == "fp32";
}

/// The errors of these products are those of fp32. That of others is no fact: relative to the norms, the error
/// of TF32 is below what a signature knows of it. What was so before is no news.
void add_numerics(const Runs& runs, const Runs* before, diagnose::Observation& out) {
  std::set<std::string> before_too;
  if (before != nullptr)
    each_product(*before, [&](const result::Process& process, const BenchmarkResult& benchmark) {
      if (only_fp32(process, benchmark)) before_too.insert(benchmark.id);
    });
  std::map<std::string, double> errors;  // benchmark -> largest error of its processes
  each_product(runs, [&](const result::Process& process, const BenchmarkResult& benchmark) {
    if (!only_fp32(process, benchmark) || before_too.contains(benchmark.id)) return;
    const auto compared = std::find_if(benchmark.verifications.begin(), benchmark.verifications.end(),
                                       [](const result::Verification& one) { return one.error.has_value(); });
    if (compared == benchmark.verifications.end()) return;
    double& error = errors.try_emplace(benchmark.id, 0).first->second;
    error = std::max(error, *compared->error);
  });
  for (const auto& [benchmark, error] : errors)
    out.numerics.push_back({benchmark, "fp32", error, std::nullopt});
}

}  // namespace

void add_product_notes(const Runs& runs, const Runs* before, diagnose::Observation& out) {
  std::map<std::string, std::string> libraries;  // benchmark -> library whose call it measures
  std::string mode;
  each_product(runs, [&](const result::Process&, const BenchmarkResult& benchmark) {
    if (const std::string library = result::fact(benchmark.notes, "library"); !library.empty())
      libraries[benchmark.id] = library;
    const std::string found = result::fact(benchmark.notes, "math_mode");
    if (mode.empty() || (mode == "tf32" && !found.empty())) mode = found;
  });
  for (diagnose::Metric& metric : out.metrics)
    if (const auto found = libraries.find(result::benchmark_of(metric.scope.op)); found != libraries.end())
      metric.scope.library = found->second;
  if (!mode.empty()) out.settings["cublas.math_mode"] = diagnose::Value(mode);
  add_numerics(runs, before, out);
}

}  // namespace gpugauge::conductor
