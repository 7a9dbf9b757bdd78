#include "conductor/observe_notes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "judge/statistics.hpp"
#include "judge/verdict.hpp"
#include "result/facts.hpp"
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
}

}  // namespace gpugauge::conductor
