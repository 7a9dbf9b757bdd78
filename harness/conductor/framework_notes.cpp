#include "conductor/framework_notes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "conductor/framework_products.hpp"
#include "diagnose/vocabulary.hpp"
#include "result/facts.hpp"

namespace gpugauge::conductor {
namespace {

/// Calls `visit` for every framework process that left data.
template <typename Visit>
void each_framework(const std::vector<result::Run>& runs, const Visit& visit) {
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes)
      if (process.samples && process.samples->context.contains("framework.version")) visit(process);
}

void add_lines(const std::string& text, std::set<std::string>& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.insert(text.substr(at, end - at));
    at = end + 1;
  }
}

bool is_inventory_key(const std::string& name) {
  return std::any_of(diagnose::inventory_keys.begin(), diagnose::inventory_keys.end(),
                     [&](const diagnose::Key& entry) { return entry.name == name; });
}

bool is_switch(const std::string& name, const result::Process& process) {
  return !is_inventory_key(name) && name.starts_with(process.family + ".");
}

}  // namespace

void add_framework_notes(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
                         diagnose::Observation& out) {
  std::set<std::string> kernels(out.kernels.begin(), out.kernels.end());
  std::map<std::string, diagnose::Scope> scopes;  // benchmark -> scope of its figures
  each_framework(runs, [&](const result::Process& process) {
    for (const auto& [name, value] : process.samples->context) {
      if (is_inventory_key(name))
        out.inventory[name] = value == "none" ? diagnose::Value() : diagnose::Value(value);
      else if (is_switch(name, process))
        out.settings[name] = diagnose::Value(value);
    }
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      add_lines(result::fact(benchmark.notes, "kernels"), kernels);
      diagnose::Scope& scope = scopes[benchmark.id];
      scope.framework = process.family;
      scope.dtype = result::fact(benchmark.parameters, "type");
    }
  });
  for (diagnose::Metric& metric : out.metrics)
    if (const auto found = scopes.find(metric.scope.op.substr(0, metric.scope.op.find(':')));
        found != scopes.end()) {
      metric.scope.framework = found->second.framework;
      metric.scope.dtype = found->second.dtype;
    }
  out.kernels.assign(kernels.begin(), kernels.end());
  if (std::optional<diagnose::Probe> native = native_benchmark(runs, before))
    out.probes.push_back(std::move(*native));
  if (before == nullptr || !out.changed) return;
  each_framework(*before, [&](const result::Process& process) {
    for (const auto& [name, value] : process.samples->context)
      if (const auto now = out.settings.find(name);
          is_switch(name, process) && now != out.settings.end() && now->second.text() != value)
        out.changed->emplace(name, diagnose::Change{diagnose::Value(value), now->second});
  });
}

}  // namespace gpugauge::conductor
