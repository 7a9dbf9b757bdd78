#include "judge/link_under_load.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "judge/device_limits.hpp"
#include "judge/load_seen.hpp"
#include "judge/physical_verdict.hpp"
#include "judge/statistics.hpp"
#include "result/facts.hpp"
#include "result/number.hpp"

namespace gpugauge::judge {
namespace {

constexpr double above_link = 1.05;

/// Generation and lanes of a link; 0 if not known.
struct Link {
  double generation = 0, width = 0;
  bool known() const { return generation >= 1 && width >= 1; }
  std::string text() const { return fmt::format("{:.0f} x{:.0f}", generation, width); }
};

/// The GPU's own capability, from the PCI bus: "32.0 GT/s PCIe", "16". Virtual machines may give neither.
Link bus_link(const result::Run& run) {
  const std::string gpu = gpu_prefix(run);
  if (gpu.empty()) return {};
  const auto number = [&](const char* name) {
    return result::leading_number<double>(result::fact(run.fingerprint.topology, gpu + name)).value_or(0);
  };
  Link out;
  constexpr double most_lanes = 32;
  if (const double width = number("pcie_max_width"); width >= 1 && width <= most_lanes) out.width = width;
  double generation = 1;
  for (const double transfers : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0}) {
    if (number("pcie_max_speed") == transfers) out.generation = generation;
    ++generation;
  }
  return out;
}

/// The fastest copy divided by the rate of the observed link; 0 if no rate of it is known.
struct Copied {
  double share = 0, bandwidth = 0;
};

Copied fastest_copy(const Collected& collected, const Link& seen) {
  Copied out;
  for (const auto& [key, metric] : collected.metrics) {
    const std::string& metric_class = metric.form.metric_class;
    if (!metric.judged() || metric.form.unit != "byte/second" ||
        (metric_class != "h2d" && metric_class != "d2h"))
      continue;
    const auto limit = link_limit(seen.generation, seen.width, metric.link_directions);
    if (!limit) continue;
    const double bandwidth = median(metric.values);
    if (bandwidth / limit->value > out.share) out = {bandwidth / limit->value, bandwidth};
  }
  return out;
}

Verdict link_verdict(VerdictKind kind, double share, std::string reason, bool advisory = false) {
  Verdict out = physical_verdict("link/pcie", kind, std::move(reason));
  out.share = share;
  out.advisory = advisory;
  return out;
}

}  // namespace

std::vector<Verdict> judge_link_under_load(const Collected& collected, const result::Run& run) {
  const std::set<std::string> benchmarks = benchmarks_of(collected, {"h2d", "d2h"});
  const auto at_most = [&](const char* name) { return highest_under_load(run, name, benchmarks); };
  const Link seen{at_most("pcie_generation"), at_most("pcie_width")};
  const Link most{at_most("pcie_generation_max"), at_most("pcie_width_max")};
  if (!seen.known() || !most.known()) return {};
  const std::string measured =
      fmt::format("generation {} at most while copies ran, of {}", seen.text(), most.text());
  // Each generation doubles the rate.
  const double share = seen.width / most.width * std::exp2(std::min(0.0, seen.generation - most.generation));
  const Link gpu = bus_link(run);
  const bool low = seen.generation < most.generation || seen.width < most.width;
  const bool in_doubt = low || gpu.width > most.width || gpu.generation > most.generation;
  if (in_doubt && integrated_gpu(DeviceFacts(run, *benchmarks.begin())))
    return {link_verdict(
        VerdictKind::inconclusive, share,
        measured + "; an integrated GPU copies within the host's memory, and not over this link", true)};
  if (const Copied copied = fastest_copy(collected, seen); in_doubt && copied.share > above_link)
    return {link_verdict(VerdictKind::inconclusive, share,
                         fmt::format("{}; a copy of {:.1f} GB/s was faster than that: it went another way "
                                     "(NVLink-C2C), or the link slept whenever it was asked",
                                     measured, copied.bandwidth / 1e9),
                         true)};
  if (low)
    return {link_verdict(
        VerdictKind::inconclusive, share,
        measured + " that GPU and slot can do; a link that sleeps between samples or was limited on "
                   "purpose explains it, a fault does, too")};
  if (gpu.width > most.width) {
    Verdict narrow =
        link_verdict(VerdictKind::inconclusive, seen.width / gpu.width,
                     fmt::format("{} by NVML, but the GPU itself has {:.0f} lanes: a slot of {:.0f} lanes by "
                                 "design explains it, a riser, a slot or a contact at fault does, too",
                                 measured, gpu.width, most.width));
    narrow.may_be_meant = true;
    return {std::move(narrow)};
  }
  if (gpu.generation > most.generation)
    return {link_verdict(
        VerdictKind::inconclusive, std::exp2(seen.generation - gpu.generation),
        fmt::format("{} by NVML, but the GPU itself can do generation {:.0f}: a host of an older "
                    "generation or a setting of its firmware explains it",
                    measured, gpu.generation),
        true)};
  return {link_verdict(VerdictKind::ok, 1, measured)};
}

}  // namespace gpugauge::judge
