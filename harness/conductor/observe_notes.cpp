#include "conductor/observe_notes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "conductor/observe_figures.hpp"
#include "judge/statistics.hpp"
#include "judge/verdict.hpp"
#include "result/facts.hpp"
#include "result/metric_key.hpp"
#include "result/number.hpp"

namespace gpugauge::conductor {
namespace {

using judge::Verdict;
using judge::VerdictKind;
using result::BenchmarkResult;

constexpr std::string_view course = "last_over_first";

/// Calls `visit` for every benchmark that was measured.
template <typename Visit>
void each_benchmark(const std::vector<result::Run>& runs, const Visit& visit) {
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes)
      if (process.samples)
        for (const BenchmarkResult& benchmark : process.samples->benchmarks)
          if (benchmark.status == result::Status::ok) visit(benchmark);
}

/// One answer of several processes; nullopt where there is none, or where they differ.
class Agreed {
 public:
  void add(bool answer) {
    split_ = split_ || (answer_ && *answer_ != answer);
    answer_ = answer;
  }
  std::optional<bool> answer() const { return split_ ? std::nullopt : answer_; }

 private:
  std::optional<bool> answer_;
  bool split_ = false;
};

/// Rates of the last second over those of the first, of each long load.
std::vector<double> courses(const std::vector<result::Run>& runs) {
  std::vector<double> out;
  each_benchmark(runs, [&](const BenchmarkResult& benchmark) {
    for (const result::Metric& metric : benchmark.metrics)
      if (metric.name == course) out.push_back(metric.value);
  });
  return out;
}

/// A comparison knows how much a healthy GPU loses while it warms up. Without one only a large loss counts.
void add_drift(const report::DeviceReport& device, diagnose::Observation& out) {
  constexpr double much_lost = .8;
  bool worse = false;
  bool compared = false;
  for (const Verdict& verdict : device.verdicts) {
    if (verdict.judge != judge::Judge::baseline || !verdict.metric.ends_with(course)) continue;
    if (verdict.kind == VerdictKind::regressed && !verdict.advisory) worse = true;
    if (verdict.kind == VerdictKind::ok) compared = true;
  }
  if (!worse && !compared) {
    const std::vector<double> seen = courses(device.rounds);
    worse = !seen.empty() && judge::median(seen) < much_lost;
  }
  if (worse || compared) out.telemetry["drift"] = diagnose::Value(worse ? "worse_with_time" : "none");
}

/// The ratio of two kernels on two streams to one of them. It is not judged where nothing can or need overlap:
/// with synchronous launches, and under Windows.
void add_overlap(const std::vector<result::Run>& runs, diagnose::Observation& out) {
  Agreed overlap;
  std::vector<double> ratios;
  each_benchmark(runs, [&](const BenchmarkResult& benchmark) {
    const std::string told = result::fact(benchmark.notes, "streams_overlap");
    for (const result::Metric& metric : benchmark.metrics) {
      if (metric.name != "two_over_one" || !metric.judged || told.empty()) continue;
      overlap.add(told == "true");
      ratios.push_back(metric.value);
    }
  });
  const auto answer = overlap.answer();
  if (!answer) return;
  out.probes.push_back({"stream_overlap", *answer ? "normal" : "no_overlap",
                        fmt::format("two_over_one={:.2f}", judge::median(ratios))});
}

void add_synchronous(const std::vector<result::Run>& runs, diagnose::Observation& out) {
  Agreed synchronous;
  each_benchmark(runs, [&](const BenchmarkResult& benchmark) {
    const std::string told = result::fact(benchmark.notes, "synchronous_launch");
    if (!told.empty()) synchronous.add(told == "true");
  });
  if (synchronous.answer().value_or(false)) out.settings["cuda.synchronous_launch"] = true;
}

/// What a search of plans gains where cuDNN's own choice became slower.
enum class Gain { all, nothing, part };

/// As a probe of a check: a third of the slowness may be left, or two thirds must be, in logarithms.
Gain gain_of(double chosen, double best) {
  const double left = std::log(best) / std::log(chosen);
  return left <= 1. / 3 ? Gain::all : left >= 2. / 3 ? Gain::nothing : Gain::part;
}

/// cuDNN's choice and the best of several plans are measured side by side: QUANTITY and QUANTITY_best of a
/// benchmark. Where the choice is slower and the best plan is not, a search finds a fast one. It counts where
/// at least half of the slower benchmarks recover by it.
void add_autotune(const std::vector<Verdict>& verdicts, diagnose::Observation& out) {
  constexpr std::string_view suffix = "_best";
  std::map<std::string, const Verdict*> compared;
  for (const Verdict& verdict : verdicts)
    if (verdict.judge == judge::Judge::baseline && verdict.metric.starts_with("cudnn/"))
      compared.emplace(verdict.metric, &verdict);
  std::vector<diagnose::Probe> recovering;
  std::vector<diagnose::Probe> unmoved;
  std::size_t slower = 0;
  for (const auto& [metric, verdict] : compared) {
    const auto best = compared.find(metric + std::string(suffix));
    if (best == compared.end() || verdict->kind != VerdictKind::regressed || verdict->advisory) continue;
    const bool best_slower = best->second->kind == VerdictKind::regressed && !best->second->advisory;
    if (!best_slower && best->second->kind != VerdictKind::ok && best->second->kind != VerdictKind::improved)
      continue;
    const auto chosen = slowness_of(*verdict);
    const auto found = best_slower ? slowness_of(*best->second) : std::optional<double>(1);
    if (!chosen || !found || *chosen <= 1) continue;
    ++slower;
    const Gain gain = gain_of(*chosen, *found);
    diagnose::Probe probe{"autotune", gain == Gain::all ? "recovers" : "no_change",
                          fmt::format("cudnn_plan=best of {}", result::benchmark_of(metric))};
    probe.factor = found;
    probe.factor_without = chosen;
    if (gain != Gain::part) (gain == Gain::all ? recovering : unmoved).push_back(std::move(probe));
  }
  const auto add_first = [&](std::vector<diagnose::Probe>& all) {
    const auto clearest = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return *a.factor_without < *b.factor_without;
    });
    out.probes.push_back(std::move(*clearest));
  };
  if (!recovering.empty() && 2 * recovering.size() >= slower)
    add_first(recovering);
  else if (!unmoved.empty() && unmoved.size() == slower)
    add_first(unmoved);
}

/// The nodes of the processor and of the GPU; a host may know neither.
void add_numa(const std::vector<result::Run>& runs, diagnose::Observation& out) {
  Agreed local;
  each_benchmark(runs, [&](const BenchmarkResult& benchmark) {
    const auto node = result::number_in<int>(result::fact(benchmark.notes, "numa_node"));
    const auto of_gpu = result::number_in<int>(result::fact(benchmark.notes, "gpu_numa_node"));
    if (node && of_gpu && *node >= 0 && *of_gpu >= 0) local.add(*node == *of_gpu);
  });
  if (const auto answer = local.answer()) out.inventory["host.numa_local"] = *answer;
}

}  // namespace

void add_benchmark_notes(const report::DeviceReport& device, diagnose::Observation& out) {
  add_drift(device, out);
  add_overlap(device.rounds, out);
  add_synchronous(device.rounds, out);
  add_numa(device.rounds, out);
  add_autotune(device.verdicts, out);
}

}  // namespace gpugauge::conductor
