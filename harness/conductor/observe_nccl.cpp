#include "conductor/observe_nccl.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "diagnose/vocabulary.hpp"
#include "result/facts.hpp"
#include "result/nccl_lines.hpp"

namespace gpugauge::conductor {
namespace {

using Runs = std::vector<result::Run>;

/// What stands before each line of NCCL, in the place of host and process.
constexpr std::string_view by_nccl = "NCCL: ";

/// Calls `visit` for the notes of every benchmark.
template <typename Visit>
void each_notes(const Runs& runs, const Visit& visit) {
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes)
      if (process.samples)
        for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) visit(benchmark.notes);
}

/// The note of the first benchmark that has it; "" without one.
std::string first_note(const Runs& runs, const std::string& key) {
  std::string out;
  each_notes(runs, [&](const result::Facts& notes) {
    if (out.empty()) out = result::fact(notes, key);
  });
  return out;
}

/// Number of nodes of the ranks; nullopt where no rank says it.
std::optional<int> nodes_of_ranks(const Runs& runs) {
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      std::istringstream names(result::fact(process.samples->context, "ranks.nodes"));
      const std::set<std::string> nodes{std::istream_iterator<std::string>(names), {}};
      if (!nodes.empty()) return static_cast<int>(nodes.size());
    }
  return std::nullopt;
}

/// Kinds of paths of all benchmarks, each once, in order.
std::set<std::string> paths_of(const Runs& runs) {
  std::set<std::string> out;
  each_notes(runs, [&](const result::Facts& notes) {
    for (std::string& kind : result::nccl_paths(result::fact(notes, "nccl.paths")))
      out.insert(std::move(kind));
  });
  return out;
}

/// All lines that the notes hold, each once: paths, network, warnings, reasons.
std::vector<std::string> lines_of(const Runs& runs) {
  std::vector<std::string> out;
  const auto add = [&](std::string line) {
    line.insert(0, by_nccl);
    if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(std::move(line));
  };
  for (const std::string& kind : paths_of(runs)) add("channels via " + kind);
  each_notes(runs, [&](const result::Facts& notes) {
    if (const std::string network = result::fact(notes, "nccl.network"); !network.empty())
      add("Using network " + network);
    for (const std::string& line : result::nccl_lines(result::fact(notes, "nccl.warnings")))
      add("WARN " + line);
    for (const std::string& line : result::nccl_lines(result::fact(notes, "nccl.reasons"))) add(line);
  });
  return out;
}

/// Collectives suffer, or something did not run.
bool matters(const diagnose::Observation& it) {
  return !it.errors.empty() ||
         std::any_of(it.metrics.begin(), it.metrics.end(), [](const diagnose::Metric& metric) {
           return metric.metric_class.starts_with("coll_") && (metric.fails || metric.judged == "slower");
         });
}

void add_lines(const Runs& runs, const Runs* before, diagnose::Observation& out) {
  if (!matters(out)) return;
  constexpr std::size_t most = 40;
  const bool by_limit = std::any_of(
      out.metrics.begin(), out.metrics.end(),
      [](const diagnose::Metric& metric) { return metric.note == diagnose::against_physical_limit; });
  const std::vector<std::string> known =
      before == nullptr || by_limit ? std::vector<std::string>{} : lines_of(*before);
  std::size_t added = 0;
  for (std::string& line : lines_of(runs)) {
    const bool news = std::find(known.begin(), known.end(), line) == known.end();
    const bool denies = line.find("GDRDMA") != std::string::npos;
    if ((news || denies) && added++ < most) out.log.push_back(std::move(line));
  }
}

void add_change(const std::string& key, diagnose::Value then, diagnose::Value now,
                diagnose::Observation& out) {
  if (out.changed && then != now)
    out.changed->emplace(key, diagnose::Change{std::move(then), std::move(now)});
}

diagnose::Value list_of(const std::set<std::string>& words) {
  return diagnose::Value::List(words.begin(), words.end());
}

}  // namespace

void add_nccl(const Runs& runs, const Runs* before, diagnose::Observation& out) {
  for (const char* key : {"nccl.version", "nccl.transport", "nccl.plugin"}) {
    const std::string now = first_note(runs, key);
    if (now.empty()) continue;
    out.inventory[key] = now == "none" ? diagnose::Value() : diagnose::Value(now);
    const std::string then = before == nullptr ? "" : first_note(*before, key);
    if (!then.empty()) add_change(key, then, now, out);
  }
  const std::set<std::string> now = paths_of(runs);
  const std::set<std::string> then = before == nullptr ? std::set<std::string>{} : paths_of(*before);
  if (!now.empty() && !then.empty()) add_change("nccl.paths", list_of(then), list_of(now), out);
  if (const auto nodes = nodes_of_ranks(runs))
    out.about.nodes = *nodes;
  else if (!first_note(runs, "nccl.version").empty())
    out.about.nodes = 1;
  add_lines(runs, before, out);
}

}  // namespace gpugauge::conductor
