#include "judge/pace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "judge/collect.hpp"
#include "judge/statistics.hpp"
#include "result/clock_reading.hpp"
#include "result/facts.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::judge {
namespace {

/// As for SM clocks: less than a third of the loss may have another cause.
constexpr double pace_part = 2.0 / 3.0;
constexpr std::size_t fewest_readings = 3;
constexpr std::array<std::string_view, 5> of_the_middle{"latency", "latency_mean", "operation_mean",
                                                        "operation_p50", "cpu_per_operation"};

struct Readings {
  std::vector<double> seconds;     ///< one a process
  std::set<std::string> read_how;  ///< clock source and kernel, of each of them
};

/// Reads by benchmark, from sound results.
std::map<std::string, Readings> readings_of(const std::vector<result::Run>& runs) {
  std::map<std::string, Readings> out;
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        if (!sound(benchmark)) continue;
        for (const result::Metric& metric : benchmark.metrics) {
          if (metric.name != result::clock_reading || metric.unit != "second" || !(metric.value > 0))
            continue;
          Readings& readings = out[benchmark.id];
          readings.seconds.push_back(metric.value);
          readings.read_how.insert(result::fact(benchmark.notes, std::string(result::clock_source_note)) +
                                   " " + result::fact(run.fingerprint.stack, "kernel.version"));
        }
      }
    }
  return out;
}

std::map<std::string, Pace> paces(const std::vector<result::Run>& before,
                                  const std::vector<result::Run>& now) {
  const std::map<std::string, Readings> then = readings_of(before);
  std::map<std::string, Pace> out;
  for (const auto& [benchmark, here] : readings_of(now)) {
    const auto found = then.find(benchmark);
    if (found == then.end()) continue;
    const Readings& there = found->second;
    if (std::min(here.seconds.size(), there.seconds.size()) < fewest_readings) continue;
    if (here.read_how.size() != 1 || here.read_how != there.read_how) continue;
    out.emplace(benchmark, Pace{median(there.seconds), median(here.seconds),
                                *std::min_element(here.seconds.begin(), here.seconds.end()) /
                                    *std::max_element(there.seconds.begin(), there.seconds.end())});
  }
  return out;
}

const Pace* pace_beside(const std::map<std::string, Pace>& paces, const Verdict& verdict) {
  if (verdict.judge != Judge::baseline || verdict.kind != VerdictKind::regressed || !verdict.change ||
      !(*verdict.change > 0))
    return nullptr;
  const std::string benchmark = result::benchmark_of(verdict.metric);
  const auto found = paces.find(benchmark);
  if (found == paces.end()) return nullptr;
  const std::string name = verdict.metric.substr(std::min(verdict.metric.size(), benchmark.size() + 1));
  const bool middle = std::find(of_the_middle.begin(), of_the_middle.end(), name) != of_the_middle.end();
  return middle ? &found->second : nullptr;
}

bool accounts_for(const Pace& pace, const Verdict& verdict) {
  return std::log(pace.least) >= pace_part * std::log1p(*verdict.change);
}

}  // namespace

void tell_pace(const std::vector<result::Run>& before, const std::vector<result::Run>& now,
               std::vector<Verdict>& verdicts) {
  const std::map<std::string, Pace> known = paces(before, now);
  for (Verdict& verdict : verdicts) {
    const Pace* pace = pace_beside(known, verdict);
    if (pace == nullptr) continue;
    verdict.reason += fmt::format("; {} its clock beside it took {:.1f} ns, {:.1f} ns before",
                                  accounts_for(*pace, verdict) ? "the processor itself was slower: reading"
                                                               : "the processor's reading of",
                                  1e9 * pace->now, 1e9 * pace->before);
  }
}

std::optional<Pace> slower_processor(const std::vector<result::Run>& before,
                                     const std::vector<result::Run>& now,
                                     const std::vector<Verdict>& verdicts) {
  const std::map<std::string, Pace> known = paces(before, now);
  std::optional<Pace> out;
  double most = 0;
  for (const Verdict& verdict : verdicts) {
    const Pace* pace = verdict.advisory ? nullptr : pace_beside(known, verdict);
    if (pace == nullptr || !accounts_for(*pace, verdict) || *verdict.change <= most) continue;
    most = *verdict.change;
    out = *pace;
  }
  return out;
}

}  // namespace gpugauge::judge
