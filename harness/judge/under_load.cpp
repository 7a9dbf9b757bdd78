// Judges the SM and memory clocks that were seen under load.
#include "judge/under_load.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/device_limits.hpp"
#include "judge/held_clocks.hpp"
#include "judge/link_under_load.hpp"
#include "judge/load_seen.hpp"
#include "judge/physical_verdict.hpp"
#include "judge/statistics.hpp"
#include "judge/throttled.hpp"

namespace gpugauge::judge {
namespace {

/// Power caps of 70 W cards halve the clock only in products (Clock::heavy_alone); a GPU stuck at its idle
/// clock is at a fifth.
constexpr double least_sm_clock = .5;
/// GeForce computes at a memory clock 2 to 5% below its highest.
constexpr double least_memory_clock = .9;
/// No GPU runs this slowly by design: an idle clock, or a power brake or heat.
constexpr double failed_sm_clock = .3;
constexpr double failed_memory_clock = .6;

/// Whether it is work that draws so much power that a board's own limit decides its clock.
bool is_heavy(const MetricValues& metric) {
  constexpr std::array<std::string_view, 7> heavy{"gemm64", "gemm32", "gemmtf32", "gemm16",
                                                  "gemm8",  "conv",   "attention"};
  return std::find(heavy.begin(), heavy.end(), metric.form.metric_class) != heavy.end();
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

bool stands_in(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::string_view set_by_somebody = "applications_clocks";

/// A setting that may hold a clock down; "" if NVML and the settings show none.
std::string what_was_set(const result::Run& run, const std::vector<std::string_view>& words) {
  const PowerLimit limit = power_limit(run);
  if (limit.lowered())
    return fmt::format("the power limit was lowered to {:g} W of {:g} W", limit.watt, limit.standard);
  if (stands_in(words, set_by_somebody))
    return fmt::format("application or locked clocks hold it: {} resets them",
                       smi_for_own_gpu(run, {"-rac", "-rgc", "-rmc"}));
  if (stands_in(words, "sw_power_cap") && !limit.known())
    return "a power cap holds it, and whether its limit was lowered is not known";
  return "";
}

/// Whether NVML reports heat or a hardware intervention; a board's own power cap is neither.
bool beyond_design(const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](std::string_view word) { return heat_or_hardware(word); });
}

/// Whether NVML named clocks that were set as the reason for this clock. A default of the board below its
/// highest clock is not something that somebody set.
bool held_by_setting(const result::Run& run, const std::set<std::string>& benchmarks, double clock) {
  const auto words = reason_words(run, benchmarks);
  if (!words || !stands_in(*words, set_by_somebody)) return false;
  const ApplicationClock set = application_clock(run);
  constexpr double equal = 1.02;
  return !set.known() || !set.is_default() || clock > equal * set.hertz || equal * clock < set.hertz;
}

/// "; in light work ... NVIDIA H200 was recorded at 1975 MHz": where the clock is below the one that its model holds in light work,
/// and NVML names nothing that lowers it there; "" otherwise.
std::string below_model(const Collected& collected, const result::Run& run, double clock) {
  std::set<std::string> light;
  for (const auto& [key, metric] : collected.metrics)
    if (metric.judged() && !metric.sm_clock_hz.empty() && is_light_class(metric.form.metric_class))
      light.insert(metric.benchmark);
  if (light.empty()) return "";
  const std::string model = DeviceFacts(run, *light.begin()).text("gpu.name");
  const auto held = held_clock(model);
  if (!held || clock >= clearly_below * held->hertz) return "";
  const auto words = reason_words(run, light);
  if (words && (stands_in(*words, "sw_power_cap") || beyond_design(*words))) return "";
  return fmt::format("; in light work, such as copies and launches, {} was recorded at {:.0f} MHz ({})",
                     model, held->hertz / 1e6, held->source);
}

struct Clock {
  const char* name;  ///< name of the verdict
  const char* what;
  double seen = 0, highest = 0;  ///< hertz
  double least = 0, failed = 0;  ///< shares of `highest`: inconclusive below `least`, failed below `failed`
  std::string doubt = {};        ///< why it is in doubt above `least`, too: "; ..." or ""
  bool heavy_alone = false;  ///< only work that draws much power was measured, on a model of unknown clocks
};

/// Whether power holds the clock, at a limit that is known and that nobody lowered.
bool at_own_power_limit(const result::Run& run, const std::vector<std::string_view>& words) {
  return stands_in(words, "sw_power_cap") && !stands_in(words, set_by_somebody) && !beyond_design(words) &&
         power_limit(run).known() && !power_limit(run).lowered();
}

Verdict clock_verdict(const Clock& clock, const result::Run& run, const std::set<std::string>& benchmarks) {
  const double share = clock.seen / clock.highest;
  const std::string measured =
      fmt::format("{} of {:.0f} MHz at most under load, {:.0f}% of the highest ({:.0f} MHz)", clock.what,
                  clock.seen / 1e6, 100 * share, clock.highest / 1e6);
  if (share >= clock.least && clock.doubt.empty()) return seen(clock.name, VerdictKind::ok, share, measured);
  const std::string doubt = share < clock.least ? "" : clock.doubt;
  const auto words = reason_words(run, benchmarks);
  const bool part = part_of_gpu(run, DeviceFacts(run, *benchmarks.begin()));
  const std::string set = what_was_set(run, words.value_or(std::vector<std::string_view>()));
  // A laptop's board may go below failed_sm_clock; a GPU at a fifth is stuck at its idle clock.
  constexpr double stuck = .2;
  const bool own_limit = clock.heavy_alone && share > stuck && words && at_own_power_limit(run, *words);
  std::string text = measured + doubt + reasons(run, benchmarks);
  if (!part && !own_limit && words && set.empty() && share < clock.failed)
    return seen(clock.name, VerdictKind::failed, share,
                fmt::format("{}; no GPU works so slowly by itself: look at its cooling and power supply, and "
                            "reset clocks that somebody may have locked: {}",
                            text, smi_for_own_gpu(run, {"-rgc", "-rmc"})));
  text += part           ? "; others may use this GPU, too"
          : !set.empty() ? "; " + set
          : own_limit
              ? "; a board at its own power limit may run so by design, and no light work was measured"
          : !doubt.empty() ? "; clocks that were locked explain it, a fault does, too"
                           : "; a power cap, heat or clocks that were set explain it, a fault does, too";
  Verdict out = seen(clock.name, VerdictKind::inconclusive, share, std::move(text));
  out.advisory = part || own_limit;
  out.may_be_meant = words && !beyond_design(*words);
  return out;
}

void judge_sm_clock(const Collected& collected, const result::Run& run, std::vector<Verdict>& out) {
  double clock = 0;
  bool heavy_alone = true;
  for (const auto& [key, metric] : collected.metrics) {
    if (!metric.judged() || metric.sm_clock_hz.empty()) continue;
    clock = std::max(clock, median(metric.sm_clock_hz));
    heavy_alone = heavy_alone && is_heavy(metric);
  }
  if (!(clock > 0)) return;
  const std::set<std::string> benchmarks = benchmarks_with_clock(collected);
  const DeviceFacts device(run, *benchmarks.begin());
  const double most = device.number("gpu.sm_clock_max_hz");
  if (most <= 0) return;
  if (held_clock(device.text("gpu.name"))) heavy_alone = false;  // recorded above half in products
  const double least = held_by_setting(run, benchmarks, clock) ? clearly_below : least_sm_clock;
  out.push_back(clock_verdict({"clocks/sm", "an SM clock", clock, most, least, failed_sm_clock,
                               below_model(collected, run, clock), heavy_alone},
                              run, benchmarks));
}

/// Judges the SM clock in products, where power decides it. Light kernels run at the highest clock even while
/// products are throttled.
void judge_product_clock(const Collected& collected, const result::Run& run, std::vector<Verdict>& out) {
  double clock = 0;
  std::string slowest;
  std::set<std::string> benchmarks;
  for (const auto& [key, metric] : collected.metrics) {
    if (!metric.judged() || metric.sm_clock_hz.empty() || !is_heavy(metric)) continue;
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
  if (limit.known())
    text += fmt::format("; power limit {:g} W of {:g} W by default", limit.watt, limit.standard);
  const bool counts = limit.lowered() || (words && beyond_design(*words));
  text += limit.lowered() ? "; the limit was lowered"
          : counts        ? "; heat or the hardware itself holds the clock"
                          : "; a board at its own power limit may run so by design";
  out.push_back(seen("clocks/sm_products", VerdictKind::inconclusive, clock / most, std::move(text)));
  out.back().advisory = !counts || part_of_gpu(run, DeviceFacts(run, slowest));
  out.back().may_be_meant = limit.lowered() && words && !beyond_design(*words);
}

void judge_memory_clock(const Collected& collected, const result::Run& run, std::vector<Verdict>& out) {
  const std::set<std::string> benchmarks = benchmarks_of(collected, {"hbm"});
  if (benchmarks.empty()) return;
  const DeviceFacts device(run, *benchmarks.begin());
  const double clock = highest_under_load(run, "memory_clock_hz", benchmarks);
  const double most = device.number("gpu.memory_clock_max_hz");
  if (clock <= 0 || most <= 0 || integrated_gpu(device)) return;
  out.push_back(
      clock_verdict({"clocks/memory", "a memory clock", clock, most, least_memory_clock, failed_memory_clock},
                    run, benchmarks));
}

}  // namespace

std::vector<Verdict> judge_under_load(const Collected& collected, const result::Run& run) {
  std::vector<Verdict> out;
  judge_sm_clock(collected, run, out);
  judge_product_clock(collected, run, out);
  judge_memory_clock(collected, run, out);
  for (Verdict& verdict : judge_throttled(collected, run)) out.push_back(std::move(verdict));
  for (Verdict& verdict : judge_link_under_load(collected, run)) out.push_back(std::move(verdict));
  return out;
}

}  // namespace gpugauge::judge
