#include "conductor/pair_ways.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "judge/gpu_way.hpp"
#include "result/facts.hpp"
#include "result/metric_key.hpp"
#include "result/number.hpp"

namespace gpugauge::conductor {
namespace {

/// Where a GPU is, as the fingerprint tells; "" = nothing.
struct Slot {
  std::string bridges;
  std::string chipset;
  std::string socket;
  bool on_chipset() const { return !chipset.empty() && chipset != "none" && chipset != "unknown"; }
  bool known() const { return !bridges.empty(); }
};

Slot slot_of(const result::Run& run, const std::string& uuid) {
  constexpr std::string_view end = "uuid";
  for (const auto& [name, value] : run.fingerprint.device) {
    if (value != uuid || !name.starts_with("gpu.") || !name.ends_with(end)) continue;
    const std::string prefix = name.substr(0, name.size() - end.size());
    const auto fact = [&](const char* of) { return result::fact(run.fingerprint.topology, prefix + of); };
    return {fact("pci_bridges"), fact("pci_chipset"), fact("socket")};
  }
  return {};
}

/// Both are below one root port, and so below a switch.
bool one_switch(const Slot& a, const Slot& b) {
  const auto root = [](const Slot& of) { return of.bridges.substr(0, of.bridges.find(' ')); };
  return a.bridges != "none" && root(a) == root(b);
}

std::string way_between(const result::Run& run, const std::string& from, const std::string& to) {
  const std::optional<judge::Way> links = judge::narrowest_way(run, {from, to});
  if (!links) return "";
  if (links->nvlinks > 0) return links->switched ? "nvlink" : "";
  const Slot a = slot_of(run, from);
  const Slot b = slot_of(run, to);
  if (!a.known() || !b.known()) return "";
  if (a.on_chipset() || b.on_chipset()) return "chipset";
  if (one_switch(a, b)) return "same_switch";
  const bool sockets = result::number_in<int>(a.socket) && result::number_in<int>(b.socket);
  return !sockets ? "" : a.socket == b.socket ? "host_bridge" : "cross_socket";
}

/// Of a metric of the samples' GPUs, which their notes name: "bandwidth_0_to_1".
std::string way_of(const result::Run& run, const result::BenchmarkResult& benchmark,
                   std::string_view metric) {
  const std::optional<judge::NamedPair> named = judge::pair_named(metric);
  if (!named) return "";
  const std::string from = result::fact(benchmark.notes, "gpu_" + named->from);
  const std::string to = result::fact(benchmark.notes, "gpu_" + named->to);
  return from.empty() || to.empty() ? "" : way_between(run, from, to);
}

}  // namespace

void add_pair_ways(const std::vector<result::Run>& rounds, diagnose::Observation& out) {
  if (rounds.empty()) return;
  const result::Run& run = rounds.front();
  if (result::fact(run.fingerprint.settings, "host.virtualization") != "none") return;
  if (slot_of(run, run.device).on_chipset()) out.inventory["topology.path"] = std::string("chipset");
  std::map<std::string_view, const result::BenchmarkResult*> benchmarks;
  for (const result::Process& process : run.processes)
    if (process.samples)
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks)
        benchmarks.try_emplace(benchmark.id, &benchmark);
  for (diagnose::Metric& metric : out.metrics) {
    if ((metric.metric_class != "p2p" && metric.metric_class != "coll_small") || !metric.scope.path.empty())
      continue;
    const std::string id = result::benchmark_of(metric.scope.op);
    const auto found = benchmarks.find(id);
    if (found == benchmarks.end() || id.size() + 1 >= metric.scope.op.size()) continue;
    metric.scope.path = way_of(run, *found->second, std::string_view(metric.scope.op).substr(id.size() + 1));
  }
}

}  // namespace gpugauge::conductor
