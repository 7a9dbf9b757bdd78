#include "judge/load_seen.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/facts.hpp"
#include "result/gpu_series.hpp"
#include "result/metric_key.hpp"
#include "result/number.hpp"
#include "result/shell_word.hpp"
#include "result/throttle_reasons.hpp"

namespace gpugauge::judge {
namespace {

bool while_measuring(const result::Run& run, const std::set<std::string>& families, double seconds) {
  return std::any_of(run.processes.begin(), run.processes.end(), [&](const result::Process& process) {
    return families.contains(process.family) && seconds >= process.start_seconds &&
           seconds <= process.start_seconds + process.wall_seconds;
  });
}

/// A setting of a GPU and its default, without the GPU's prefix.
struct Setting {
  const char* set;
  const char* standard;
};
constexpr Setting limit_of_power{"power_limit_watt", "power_limit_default_watt"};
constexpr Setting clock_of_applications{"sm_clock_application_mhz", "sm_clock_application_default_mhz"};

/// A number in the settings of the run's GPU; 0 if it is not known.
double setting_of_gpu(const result::Run& run, const char* name) {
  const std::string gpu = gpu_prefix(run);
  if (gpu.empty()) return 0;
  return result::number_in<double>(result::fact(run.fingerprint.settings, gpu + name)).value_or(0);
}

}  // namespace

std::set<std::string> benchmarks_of(const Collected& collected, const std::vector<std::string>& classes) {
  std::set<std::string> out;
  for (const auto& [key, metric] : collected.metrics)
    if (metric.judged() &&
        std::find(classes.begin(), classes.end(), metric.form.metric_class) != classes.end())
      out.insert(metric.benchmark);
  return out;
}

std::set<std::string> benchmarks_with_clock(const Collected& collected) {
  std::set<std::string> out;
  for (const auto& [key, metric] : collected.metrics)
    if (metric.judged() && !metric.sm_clock_hz.empty()) out.insert(metric.benchmark);
  return out;
}

std::vector<double> load_samples(const result::Run& run, const std::string& series,
                                 const std::set<std::string>& benchmarks) {
  std::vector<double> out;
  const result::Series* const found = result::gpu_series(run, series);
  if (found == nullptr) return out;
  std::set<std::string> families;
  for (const std::string& benchmark : benchmarks) families.insert(result::family_of(benchmark));
  for (std::size_t i = 0; i < found->values.size(); ++i)
    if (while_measuring(run, families, found->seconds[i])) out.push_back(found->values[i]);
  return out;
}

double highest_under_load(const result::Run& run, const std::string& series,
                          const std::set<std::string>& benchmarks) {
  const std::vector<double> values = load_samples(run, series, benchmarks);
  return values.size() < least_load_samples ? 0 : *std::max_element(values.begin(), values.end());
}

std::optional<std::vector<ReasonSeen>> reasons_seen(const result::Run& run,
                                                    const std::set<std::string>& benchmarks) {
  const std::vector<double> masks = load_samples(run, "throttle_reasons", benchmarks);
  if (masks.empty()) return std::nullopt;
  std::vector<ReasonSeen> out;
  for (std::size_t bit = 0; bit < result::throttle_reasons.size(); ++bit) {
    const auto count = std::count_if(masks.begin(), masks.end(),
                                     [&](double mask) { return result::has_throttle_reason(mask, bit); });
    if (count > 0)
      out.push_back({result::throttle_reasons[bit], static_cast<std::size_t>(count), masks.size()});
  }
  return out;
}

std::optional<std::vector<std::string_view>> reason_words(const result::Run& run,
                                                          const std::set<std::string>& benchmarks) {
  const auto seen = reasons_seen(run, benchmarks);
  if (!seen) return std::nullopt;
  std::vector<std::string_view> words;
  for (const ReasonSeen& one : *seen)
    if (10 * one.samples > one.of) words.push_back(one.word);
  return words;
}

std::string gpu_prefix(const result::Run& run) {
  for (const auto& [key, value] : run.fingerprint.device)
    if (value == run.device && key.starts_with("gpu.") && key.ends_with(".uuid"))
      return key.substr(0, key.size() - std::string_view("uuid").size());
  return "";
}

std::string smi_for_own_gpu(const result::Run& run, const std::vector<std::string>& options) {
  const std::string gpu = run.device.starts_with("GPU-") ? result::shell_word(run.device) : "ADDRESS";
  if (options.size() == 1) return fmt::format("`sudo nvidia-smi -i {} {}`", gpu, options.front());
  return fmt::format("`for option in {}; do sudo nvidia-smi -i {} $option; done`", fmt::join(options, " "),
                     gpu);
}

bool PowerLimit::lowered() const {
  return known() && watt < standard - 0.5;
}

PowerLimit power_limit(const result::Run& run) {
  return {setting_of_gpu(run, limit_of_power.set), setting_of_gpu(run, limit_of_power.standard)};
}

ApplicationClock application_clock(const result::Run& run) {
  constexpr double mega = 1e6;
  return {mega * setting_of_gpu(run, clock_of_applications.set),
          mega * setting_of_gpu(run, clock_of_applications.standard)};
}

void take_settings(const result::Run& run, result::Run& together) {
  const std::string from = gpu_prefix(run);
  const std::string to = gpu_prefix(together);
  if (from.empty() || to.empty()) return;
  const auto take = [&](const Setting& one) {
    for (const char* const name : {one.set, one.standard})
      together.fingerprint.settings[to + name] = result::fact(run.fingerprint.settings, from + name);
  };
  if (power_limit(run).lowered()) take(limit_of_power);
  if (const ApplicationClock clock = application_clock(run); clock.known() && !clock.is_default())
    take(clock_of_applications);
}

result::Run with_settings_of_all(const std::vector<result::Run>& rounds) {
  result::Run out;
  out.device = rounds.front().device;
  out.fingerprint = rounds.front().fingerprint;
  for (const result::Run& round : rounds) take_settings(round, out);
  return out;
}

}  // namespace gpugauge::judge
