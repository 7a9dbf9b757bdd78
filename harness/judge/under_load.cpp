#include "judge/under_load.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/physical_verdict.hpp"
#include "judge/statistics.hpp"
#include "result/facts.hpp"
#include "result/gpu_series.hpp"
#include "result/throttle_reasons.hpp"

namespace gpugauge::judge {
namespace {

/// Power caps of 70 W cards halve nothing but products; a GPU left at its idle clock is at a fifth.
constexpr double least_sm_clock = .5;
/// GeForce computes at a memory clock 2 to 5% below its highest.
constexpr double least_memory_clock = .9;
constexpr std::size_t least_samples = 3;

bool of_classes(const MetricValues& metric, const std::vector<std::string>& classes) {
  return std::find(classes.begin(), classes.end(), metric.form.metric_class) != classes.end();
}

/// Families that measured one of the classes; a benchmark of one of them stands for its process's facts.
std::set<std::string> benchmarks_of(const Collected& collected, const std::vector<std::string>& classes) {
  std::set<std::string> out;
  for (const auto& [key, metric] : collected.metrics)
    if (metric.judged() && of_classes(metric, classes)) out.insert(metric.benchmark);
  return out;
}

bool while_measuring(const result::Run& run, const std::set<std::string>& families, double seconds) {
  return std::any_of(run.processes.begin(), run.processes.end(), [&](const result::Process& process) {
    return families.contains(process.family) && seconds >= process.start_seconds &&
           seconds <= process.start_seconds + process.wall_seconds;
  });
}

/// Samples of the run's GPU while the families ran.
std::vector<double> samples(const result::Run& run, const std::string& name,
                            const std::set<std::string>& benchmarks) {
  std::vector<double> out;
  const result::Series* const series = result::gpu_series(run, name);
  if (series == nullptr) return out;
  std::set<std::string> families;
  for (const std::string& benchmark : benchmarks) families.insert(benchmark.substr(0, benchmark.find('/')));
  for (std::size_t i = 0; i < series->values.size(); ++i)
    if (while_measuring(run, families, series->seconds[i])) out.push_back(series->values[i]);
  return out;
}

double highest(const std::vector<double>& values) {
  return values.size() < least_samples ? 0 : *std::max_element(values.begin(), values.end());
}

/// NVML's reasons while the benchmarks' families ran; nullopt where telemetry has none. A reason counts that
/// stood in a tenth of the samples.
std::optional<std::vector<std::string_view>> reason_words(const result::Run& run,
                                                          const std::set<std::string>& benchmarks) {
  const std::vector<double> masks = samples(run, "throttle_reasons", benchmarks);
  if (masks.empty()) return std::nullopt;
  std::vector<std::string_view> words;
  for (std::size_t bit = 0; bit < result::throttle_reasons.size(); ++bit) {
    const auto count = std::count_if(masks.begin(), masks.end(), [&](double mask) {
      constexpr double most = 1e15;  // of what a double holds exactly
      return mask >= 0 && mask < most && (static_cast<unsigned long long>(mask) >> bit & 1U) != 0;
    });
    if (static_cast<std::size_t>(10 * count) > masks.size()) words.push_back(result::throttle_reasons[bit]);
  }
  return words;
}

/// "; NVML's reasons meanwhile: sw_power_cap".
std::string reasons(const result::Run& run, const std::set<std::string>& benchmarks) {
  const auto words = reason_words(run, benchmarks);
  if (!words) return "; NVML gave no reasons";
  return words->empty() ? "; NVML gives no reason for it"
                        : fmt::format("; NVML's reasons meanwhile: {}", fmt::join(*words, ", "));
}

Verdict seen(const char* name, VerdictKind kind, double share, std::string reason) {
  Verdict out = physical_verdict(name, kind, std::move(reason));
  out.share = share;
  return out;
}

Verdict clock_verdict(const char* name, const char* what, double clock, double most, double least,
                      const std::string& why) {
  const std::string measured =
      fmt::format("{} of {:.0f} MHz at most under load, {:.0f}% of the highest ({:.0f} MHz)", what,
                  clock / 1e6, 100 * clock / most, most / 1e6);
  if (clock >= least * most) return seen(name, VerdictKind::ok, clock / most, measured);
  return seen(name, VerdictKind::inconclusive, clock / most,
              fmt::format("{}{}; a power cap, heat or clocks that were set explain it, a fault does, too",
                          measured, why));
}

void judge_sm_clock(const Collected& collected, const result::Run& run, std::vector<Verdict>& out) {
  double clock = 0;
  std::set<std::string> benchmarks;
  for (const auto& [key, metric] : collected.metrics) {
    if (!metric.judged() || metric.sm_clock_hz.empty()) continue;
    clock = std::max(clock, median(metric.sm_clock_hz));
    benchmarks.insert(metric.benchmark);
  }
  if (!(clock > 0)) return;
  const double most = DeviceFacts(run, *benchmarks.begin()).number("gpu.sm_clock_max_hz");
  if (most <= 0) return;
  out.push_back(
      clock_verdict("clocks/sm", "an SM clock", clock, most, least_sm_clock, reasons(run, benchmarks)));
}

/// The power limits of the run's GPU; 0 where they are not known.
struct PowerLimit {
  double watt = 0, standard = 0;
  bool lowered() const { return watt > 0 && standard > 0 && watt < standard; }
};

PowerLimit power_limit(const result::Run& run) {
  const result::Fingerprint& known = run.fingerprint;
  for (const auto& [key, value] : known.device) {
    if (value != run.device || !key.starts_with("gpu.") || !key.ends_with(".uuid")) continue;
    const std::string gpu = key.substr(0, key.size() - std::string_view("uuid").size());
    const auto watt = [&](const char* name) {
      const std::string text = result::fact(known.settings, gpu + name);
      double found = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), found);
      return error == std::errc() && stop == text.data() + text.size() ? found : 0;
    };
    return {watt("power_limit_watt"), watt("power_limit_default_watt")};
  }
  return {};
}

/// Heat and hardware that steps in; the power cap of a board at its own limit is none of them.
bool beyond_design(const std::vector<std::string_view>& words) {
  constexpr std::array<std::string_view, 4> design{"hw_slowdown", "sw_thermal", "hw_thermal",
                                                   "hw_power_brake"};
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(design.begin(), design.end(), word) != design.end();
  });
}

/// The SM clock where power decides it. Light kernels run at the highest clock while products are throttled.
void judge_product_clock(const Collected& collected, const result::Run& run, std::vector<Verdict>& out) {
  const std::vector<std::string> heavy{"gemm64", "gemm32", "gemmtf32", "gemm16",
                                       "gemm8",  "conv",   "attention"};
  double clock = 0;
  std::string slowest;
  std::set<std::string> benchmarks;
  for (const auto& [key, metric] : collected.metrics) {
    if (!metric.judged() || metric.sm_clock_hz.empty() || !of_classes(metric, heavy)) continue;
    benchmarks.insert(metric.benchmark);
    const double found = median(metric.sm_clock_hz);
    if (!(found > 0) || (clock > 0 && found >= clock)) continue;
    clock = found;
    slowest = metric.benchmark;
  }
  if (!(clock > 0)) return;
  const double most = DeviceFacts(run, slowest).number("gpu.sm_clock_max_hz");
  if (most <= 0) return;
  const std::string measured =
      fmt::format("an SM clock of {:.0f} MHz in {}, {:.0f}% of the highest ({:.0f} MHz)", clock / 1e6,
                  slowest, 100 * clock / most, most / 1e6);
  if (clock >= least_sm_clock * most) {
    out.push_back(seen("clocks/sm_products", VerdictKind::ok, clock / most, measured));
    return;
  }
  const PowerLimit limit = power_limit(run);
  const auto words = reason_words(run, benchmarks);
  std::string text = measured + reasons(run, benchmarks);
  if (limit.watt > 0 && limit.standard > 0)
    text += fmt::format("; power limit {:g} W of {:g} W by default", limit.watt, limit.standard);
  const bool counts = limit.lowered() || (words && beyond_design(*words));
  text += limit.lowered() ? "; the limit was lowered"
          : counts        ? "; heat or the hardware itself holds the clock"
                          : "; a board at its own power limit may run so by design";
  out.push_back(seen("clocks/sm_products", VerdictKind::inconclusive, clock / most, std::move(text)));
  out.back().advisory = !counts;
}

void judge_memory_clock(const Collected& collected, const result::Run& run, std::vector<Verdict>& out) {
  const std::set<std::string> benchmarks = benchmarks_of(collected, {"hbm"});
  if (benchmarks.empty()) return;
  const double clock = highest(samples(run, "memory_clock_hz", benchmarks));
  const double most = DeviceFacts(run, *benchmarks.begin()).number("gpu.memory_clock_max_hz");
  if (clock <= 0 || most <= 0) return;
  out.push_back(clock_verdict("clocks/memory", "a memory clock", clock, most, least_memory_clock,
                              reasons(run, benchmarks)));
}

void judge_link(const Collected& collected, const result::Run& run, std::vector<Verdict>& out) {
  const std::set<std::string> benchmarks = benchmarks_of(collected, {"h2d", "d2h"});
  const auto at_most = [&](const char* name) { return highest(samples(run, name, benchmarks)); };
  const double generation = at_most("pcie_generation"), most = at_most("pcie_generation_max");
  const double width = at_most("pcie_width"), widest = at_most("pcie_width_max");
  if (generation < 1 || width < 1 || most < 1 || widest < 1) return;
  const std::string measured =
      fmt::format("generation {:.0f} x{:.0f} at most while copies ran, of {:.0f} x{:.0f}", generation, width,
                  most, widest);
  if (generation >= most && width >= widest) {
    out.push_back(seen("link/pcie", VerdictKind::ok, 1, measured));
    return;
  }
  // Each generation doubles the rate.
  const double share = width / widest * std::exp2(std::min(0.0, generation - most));
  out.push_back(seen("link/pcie", VerdictKind::inconclusive, share,
                     measured +
                         " that GPU and slot can do; a link that sleeps between samples or was limited on "
                         "purpose explains it, a fault does, too"));
}

}  // namespace

std::vector<Verdict> judge_under_load(const Collected& collected, const result::Run& run) {
  std::vector<Verdict> out;
  judge_sm_clock(collected, run, out);
  judge_product_clock(collected, run, out);
  judge_memory_clock(collected, run, out);
  judge_link(collected, run, out);
  return out;
}

}  // namespace gpugauge::judge
