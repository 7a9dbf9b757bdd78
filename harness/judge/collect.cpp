// Regroups a run's values by metric, and judges whether each benchmark is sound.
#include "judge/collect.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "judge/statistics.hpp"
#include "result/facts.hpp"
#include "result/instructions.hpp"
#include "result/metric_key.hpp"
#include "result/number.hpp"
#include "result/occupied.hpp"

namespace gpugauge::judge {
namespace {

using result::Status;

const result::Verification* failed_check(const result::BenchmarkResult& benchmark) {
  for (const result::Verification& check : benchmark.verifications) {
    const bool beyond = check.error && check.tolerance && !(*check.error <= *check.tolerance);
    if (!check.passed || beyond) return &check;
  }
  return nullptr;
}

bool unverified(const result::BenchmarkResult& benchmark) {
  return benchmark.verifications.empty() &&
         result::fact(benchmark.notes, std::string(result::not_verified_note)).empty();
}

/// Returns a metric without a finite logarithm, which a judged value needs. The reader of run files refuses
/// these; runs built in memory do not pass it.
const result::Metric* impossible_value(const result::BenchmarkResult& benchmark) {
  for (const result::Metric& metric : benchmark.metrics) {
    if (!std::isfinite(metric.value) || (metric.judged && metric.value <= 0)) return &metric;
  }
  return nullptr;
}

void add(BenchmarkState& state, const result::BenchmarkResult& benchmark, const std::string& family,
         int index, bool good) {
  const Status status = benchmark.status == Status::ok && !good ? Status::failed : benchmark.status;
  state.family = family;
  ++state.processes;
  state.asked = std::max(state.asked, index + 1);
  state.ok += good ? 1 : 0;
  if (status == Status::ok) return;
  std::string reason = fault(benchmark);
  const bool occupied = result::occupied(status, reason, benchmark.notes);
  if (occupied) ++state.occupied;
  if (gravity(status, occupied) > gravity(state.worst, state.worst_occupied)) {
    state.worst = status;
    state.reason = std::move(reason);
    state.worst_occupied = occupied;
  }
}

void add(MetricValues& values, const result::BenchmarkResult& benchmark, const result::Metric& metric) {
  ++values.reported;
  if (values.benchmark.empty()) {
    values.benchmark = benchmark.id;
    values.form = metric;
    values.form.resolution = 0;
    // Integer products have no floating-point work; their work is in items.
    values.flops = metric.unit == "operation/second" ? benchmark.work.items : benchmark.work.flops;
    values.bytes = benchmark.work.bytes;
    values.link_directions = result::fact(benchmark.notes, "link_directions") == "2" ? 2 : 1;
    values.saturating = result::fact(benchmark.notes, "saturating") == "true";
    values.instruction = result::fact(benchmark.notes, std::string(result::instruction_note));
  } else if (metric.unit != values.form.unit || metric.better != values.form.better ||
             metric.metric_class != values.form.metric_class) {
    values.not_judged = "the processes disagree on its unit, direction or class";
    return;
  }
  if (!metric.judged) {
    if (values.not_judged.empty()) values.not_judged = metric.note.empty() ? "recorded only" : metric.note;
    if (metric.value > 0) values.recorded.push_back(metric.value);
    return;
  }
  values.form.resolution = std::max(values.form.resolution, metric.resolution);
  values.values.push_back(metric.value);
  if (!benchmark.batches.sm_clock_hz.empty())
    values.sm_clock_hz.push_back(median(benchmark.batches.sm_clock_hz));
}

}  // namespace

int gravity(Status status, bool occupied) {
  constexpr std::array order{Status::ok, Status::skipped, Status::unavailable, Status::interrupted,
                             Status::failed};
  if (occupied) return 1;
  return 2 * static_cast<int>(std::find(order.begin(), order.end(), status) - order.begin());
}

namespace {

bool says_itself(const result::Process& process) {
  return process.status != Status::ok || !process.samples;
}

}  // namespace

Status status_of(const result::Process& process) {
  return says_itself(process) ? process.status : process.samples->status;
}

const std::string& reason_of(const result::Process& process) {
  return says_itself(process) ? process.reason : process.samples->reason;
}

bool occupied(const result::Process& process) {
  return result::occupied(status_of(process), reason_of(process),
                          process.samples ? process.samples->context : result::Facts{});
}

std::vector<double> measured(const MetricValues& metric) {
  std::vector<double> out = metric.values;
  out.insert(out.end(), metric.recorded.begin(), metric.recorded.end());
  return out;
}

bool sound(const result::BenchmarkResult& benchmark) {
  return benchmark.status == Status::ok && !unverified(benchmark) && failed_check(benchmark) == nullptr &&
         impossible_value(benchmark) == nullptr;
}

std::string fault(const result::BenchmarkResult& benchmark) {
  if (benchmark.status != Status::ok) return benchmark.reason;
  if (unverified(benchmark)) return "its result was not verified";
  if (const result::Verification* check = failed_check(benchmark)) {
    if (!check->error || !std::isfinite(*check->error))
      return fmt::format("the result is wrong: {} did not pass", check->method);
    return fmt::format("the result is wrong: {} found an error of {:.3g}{}", check->method, *check->error,
                       check->tolerance ? fmt::format(" where {:.3g} is allowed", *check->tolerance) : "");
  }
  if (const result::Metric* metric = impossible_value(benchmark))
    return fmt::format("{} is {}, which is no measurement", metric->name, metric->value);
  return "";
}

DeviceFacts::DeviceFacts(const result::Run& run, const std::string& benchmark) {
  const std::string family = result::family_of(benchmark);
  for (const result::Process& process : run.processes) {
    if (process.family != family || !process.samples) continue;
    facts_ = &process.samples->context;
    return;
  }
}

std::string DeviceFacts::text(const std::string& fact) const {
  return facts_ == nullptr ? "" : result::fact(*facts_, fact);
}

double DeviceFacts::number(const std::string& fact) const {
  return std::max(0.0, result::number_in<double>(text(fact)).value_or(0));
}

Collected collect(const result::Run& run) {
  constexpr std::size_t usual_processes = 5;
  // The destination of a benchmark's values is looked up once per process, and that of a metric among its
  // benchmark's few.
  struct Bins {
    BenchmarkState* state = nullptr;
    std::vector<std::pair<std::string_view, MetricValues*>> metrics;
  };
  Collected out;
  std::unordered_map<std::string_view, Bins> places;
  for (const result::Process& process : run.processes) {
    out.processes[process.family].push_back({process.index, occupied(process)});
    if (!process.samples) continue;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      Bins& bins = places[benchmark.id];
      if (bins.state == nullptr) bins.state = &out.benchmarks[benchmark.id];
      const bool good = sound(benchmark);
      add(*bins.state, benchmark, process.family, process.index, good);
      if (!good) continue;
      for (const result::Metric& metric : benchmark.metrics) {
        auto bin = std::find_if(bins.metrics.begin(), bins.metrics.end(),
                                [&](const auto& known) { return known.first == metric.name; });
        if (bin == bins.metrics.end()) {
          MetricValues& values = out.metrics[result::metric_key(benchmark.id, metric.name)];
          values.values.reserve(usual_processes);
          bin = bins.metrics.insert(bin, {metric.name, &values});
        }
        add(*bin->second, benchmark, metric);
      }
    }
  }
  return out;
}

}  // namespace gpugauge::judge
