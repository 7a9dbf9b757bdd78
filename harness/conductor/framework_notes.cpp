#include "conductor/framework_notes.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conductor/framework_products.hpp"
#include "diagnose/vocabulary.hpp"
#include "result/facts.hpp"
#include "result/metric_key.hpp"

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

/// The version in a library's file name, from two numbers on: "libnccl.so.2.28.3" -> "2.28.3"; else "".
std::string version_in_name(const std::string& name) {
  constexpr std::string_view mark = ".so.";
  const std::size_t at = name.find(mark);
  if (at == std::string::npos) return "";
  const std::string version = name.substr(at + mark.size());
  return version.find('.') == std::string::npos ? "" : version;
}

/// Adds which libraries of one release the framework's process had mapped from several folders or in several
/// versions. The runtime is not among them: it is linked into many libraries by itself.
void add_copies(const result::Facts& context, diagnose::Observation& out) {
  struct Family {
    const char* name;
    const char* files;
    const char* key;  // "" = an observation has no key for the number of copies
  };
  constexpr std::array<Family, 3> families{{{"cudnn", "libcudnn", "cudnn.copies"},
                                            {"cublas", "libcublas", ""},
                                            {"nccl", "libnccl.so", "nccl.copies"}}};
  std::vector<std::string> mixed;
  for (const Family& family : families) {
    std::set<std::string> folders;
    std::set<std::string> versions;
    for (const auto& [name, path] : context) {
      const std::filesystem::path file(path);
      if (!name.starts_with("framework.library.") || !file.filename().string().starts_with(family.files))
        continue;
      folders.insert(file.parent_path().string());
      if (const std::string version = version_in_name(file.filename().string()); !version.empty())
        versions.insert(version);
    }
    if (folders.size() > 1 && *family.key != '\0')
      out.inventory[family.key] = std::vector<std::string>(folders.begin(), folders.end());
    if (versions.size() > 1) mixed.push_back(fmt::format("{} {}", family.name, fmt::join(versions, " and ")));
  }
  if (!mixed.empty()) out.inventory["libraries.mixed"] = fmt::format("{}", fmt::join(mixed, ", "));
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
    add_copies(process.samples->context, out);
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      add_lines(result::fact(benchmark.notes, "kernels"), kernels);
      diagnose::Scope& scope = scopes[benchmark.id];
      scope.framework = process.family;
      scope.dtype = result::fact(benchmark.parameters, "type");
    }
  });
  for (diagnose::Metric& metric : out.metrics)
    if (const auto found = scopes.find(result::benchmark_of(metric.scope.op)); found != scopes.end()) {
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
