#include "conductor/jit_cache_notes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "judge/statistics.hpp"
#include "result/facts.hpp"
#include "result/number.hpp"

namespace gpugauge::conductor {
namespace {

using Runs = std::vector<result::Run>;

constexpr std::string_view warm = "first_launch/kernel/jit_warm";
constexpr std::string_view cold = "first_launch/kernel/jit_cold";

template <typename Visit>
void each_start(const Runs& runs, std::string_view id, const Visit& visit) {
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks)
        if (benchmark.id == id && benchmark.status == result::Status::ok) visit(benchmark);
    }
}

/// Median time of the first launch, over all processes; nullopt where it was not measured.
std::optional<double> first_launch(const Runs& runs, std::string_view id) {
  std::vector<double> seconds;
  each_start(runs, id, [&](const result::BenchmarkResult& benchmark) {
    for (const result::Metric& metric : benchmark.metrics)
      if (metric.name == "first_launch") seconds.push_back(metric.value);
  });
  if (seconds.empty()) return std::nullopt;
  return judge::median(seconds);
}

/// Most files in the cache after a warm start; nullopt where no process tells.
std::optional<int> cached_files(const Runs& runs) {
  std::optional<int> out;
  each_start(runs, warm, [&](const result::BenchmarkResult& benchmark) {
    if (const auto files = result::number_in<int>(result::fact(benchmark.notes, "cache_files")))
      out = std::max(out.value_or(0), *files);
  });
  return out;
}

bool start_is_slower(const diagnose::Observation& it) {
  return std::any_of(it.metrics.begin(), it.metrics.end(), [](const diagnose::Metric& metric) {
    return (metric.metric_class == "first_launch" || metric.metric_class == "init") &&
           metric.judged == "slower";
  });
}

}  // namespace

void add_jit_cache(const Runs& runs, const Runs* before, diagnose::Observation& out) {
  constexpr double as_slow = .8;
  const auto of_warm = first_launch(runs, warm);
  const auto of_cold = first_launch(runs, cold);
  if (cached_files(runs) != 0 || !of_warm || !of_cold || *of_warm < as_slow * *of_cold ||
      !start_is_slower(out))
    return;
  constexpr const char* key = "cuda.jit_cache";
  out.inventory[key] = diagnose::Value("empty");
  if (before != nullptr && out.changed && cached_files(*before).value_or(0) > 0)
    out.changed->emplace(key, diagnose::Change{diagnose::Value("filled"), diagnose::Value("empty")});
  out.probes.push_back(
      {"repeat_in_fresh_process", "slow", fmt::format("jit_warm_over_jit_cold={:.2f}", *of_warm / *of_cold)});
}

}  // namespace gpugauge::conductor
