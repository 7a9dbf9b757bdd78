#include "judge/pace.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "judge/collect.hpp"
#include "judge/pinned.hpp"
#include "judge/statistics.hpp"
#include "result/clock_reading.hpp"

namespace gpugauge::judge {
namespace {

/// Of a loss that the processor's pace shares to this part or more, on a logarithmic scale, it is the reason.
constexpr double pace_part = 1.0 / 3.0;
// Assumed (docs/verdicts.md).
constexpr double same_pace = .03;
constexpr double other_pace = .05;

/// One value a process and benchmark.
struct Readings {
  std::map<std::string, std::vector<double>> by_benchmark;
  std::map<std::string, std::vector<double>> by_class;  ///< by class_key
};

Readings readings_of(const std::vector<result::Run>& runs) {
  Readings out;
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        if (!sound(benchmark)) continue;
        for (const result::Metric& metric : benchmark.metrics) {
          if (metric.name != result::clock_reading || metric.unit != "second" || !(metric.value > 0))
            continue;
          out.by_benchmark[benchmark.id].push_back(metric.value);
          out.by_class[class_key(metric.metric_class)].push_back(metric.value);
        }
      }
    }
  return out;
}

using Paces = std::map<std::string, Pace>;

Paces of_both(const std::map<std::string, std::vector<double>>& before,
              const std::map<std::string, std::vector<double>>& now) {
  Paces out;
  for (const auto& [key, values] : now)
    if (const auto found = before.find(key); found != before.end())
      out.emplace(key, Pace{median(found->second), median(values)});
  return out;
}

std::string nanoseconds(double seconds) {
  return fmt::format("{:.1f} ns", 1e9 * seconds);
}

std::string sentence_on_loss(const Pace& pace, double change) {
  const std::string both = fmt::format("{}, {} before", nanoseconds(pace.now), nanoseconds(pace.before));
  const double slower = pace.slower();
  if (slower >= other_way_of_reading)
    return fmt::format("; reading the processor's clock beside it took {}, as if from another clock source",
                       both);
  if (slower >= 1 + other_pace && std::log(slower) >= pace_part * std::log1p(change))
    return fmt::format("; the processor itself was slower: reading its clock beside it took {}", both);
  if (std::abs(slower - 1) <= same_pace)
    return fmt::format(
        "; it is not the processor's pace: reading its clock beside it took as long as before, {}",
        nanoseconds(pace.now));
  return fmt::format("; the processor's pace is less than a third of it: reading its clock beside it took {}",
                     both);
}

std::string sentence_on(const Verdict& verdict, const Pace& pace) {
  if (verdict.kind == VerdictKind::regressed && *verdict.change > 0)
    return sentence_on_loss(pace, *verdict.change);
  if (std::abs(pace.slower() - 1) < other_pace) return "";
  return fmt::format("; reading the processor's clock beside it took {}, {} before", nanoseconds(pace.now),
                     nanoseconds(pace.before));
}

}  // namespace

std::optional<Pace> pace(const std::vector<result::Run>& before, const std::vector<result::Run>& now) {
  std::vector<double> then_all;
  std::vector<double> now_all;
  for (const auto& [benchmark, one] :
       of_both(readings_of(before).by_benchmark, readings_of(now).by_benchmark)) {
    then_all.push_back(one.before);
    now_all.push_back(one.now);
  }
  if (then_all.empty()) return std::nullopt;
  const Pace out{median(then_all), median(now_all)};
  const bool same_way = out.slower() < other_way_of_reading && out.slower() > 1 / other_way_of_reading;
  return same_way ? std::optional(out) : std::nullopt;
}

void tell_pace(const std::vector<result::Run>& before, const std::vector<result::Run>& now,
               std::vector<Verdict>& verdicts) {
  const Readings then = readings_of(before);
  const Readings here = readings_of(now);
  const Paces benchmarks = of_both(then.by_benchmark, here.by_benchmark);
  const Paces classes = of_both(then.by_class, here.by_class);
  for (Verdict& verdict : verdicts) {
    if (verdict.judge != Judge::baseline || !verdict.change) continue;
    if (verdict.kind != VerdictKind::regressed && verdict.kind != VerdictKind::inconclusive &&
        verdict.kind != VerdictKind::unstable)
      continue;
    const bool mean = verdict.metric == class_key(verdict.metric_class);
    if (!mean && verdict.unit != "second") continue;
    const Paces& known = mean ? classes : benchmarks;
    if (const auto found = known.find(mean ? verdict.metric : benchmark_of(verdict.metric));
        found != known.end())
      verdict.reason += sentence_on(verdict, found->second);
  }
}

}  // namespace gpugauge::judge
