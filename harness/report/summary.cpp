#include "report/summary.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "judge/statistics.hpp"

namespace gpugauge::report {

std::vector<Measured> summarise(const result::Run& run) {
  struct Values {
    const result::BenchmarkResult* benchmark = nullptr;
    const result::Metric* metric = nullptr;
    std::vector<double> values, batches;
  };
  std::map<std::string, Values> found;
  for (const result::Process& process : run.processes) {
    if (!process.samples) continue;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      if (benchmark.status != result::Status::ok) continue;
      for (const result::Metric& metric : benchmark.metrics) {
        Values& values = found[result::metric_key(benchmark.id, metric.name)];
        values.benchmark = &benchmark;
        values.metric = &metric;
        values.values.push_back(metric.value);
        values.batches.push_back(static_cast<double>(benchmark.batches.seconds_per_operation.size()));
      }
    }
  }
  std::vector<Measured> out;
  for (const auto& [key, values] : found) {
    const result::Metric& metric = *values.metric;
    Measured made;
    made.key = key;
    made.benchmark = values.benchmark->id;
    made.statistic = metric.statistic;
    made.metric_class = metric.metric_class;
    made.unit = metric.unit;
    made.better = metric.better;
    made.value = judge::median(values.values);
    const auto [low, high] = std::minmax_element(values.values.begin(), values.values.end());
    if (values.values.size() > 1 && made.value != 0) made.range = (*high - *low) / std::abs(made.value);
    made.processes = static_cast<int>(values.values.size());
    made.batches = static_cast<int>(judge::median(values.batches));
    made.judged = metric.judged;
    made.note = metric.note;
    if (metric.limit && made.value > 0)
      made.share_of_limit = metric.better == result::Direction::higher ? made.value / metric.limit->value
                                                                       : metric.limit->value / made.value;
    out.push_back(std::move(made));
  }
  return out;
}

std::vector<FamilyState> family_states(const result::Run& run) {
  std::map<std::string, FamilyState> states;
  std::map<std::string, std::set<std::string>> measured, said;
  for (const result::Process& process : run.processes) {
    FamilyState& state = states[process.family];
    state.family = process.family;
    ++state.processes;
    if (process.status == result::Status::ok)
      ++state.ok;
    else if (state.reason.empty())
      state.reason = process.reason;
    if (!process.samples) continue;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      if (benchmark.status == result::Status::ok)
        measured[process.family].insert(benchmark.id);
      else if (said[process.family].insert(benchmark.id).second)
        state.skipped.push_back(
            fmt::format("{} {}: {}", benchmark.id, to_string(benchmark.status), benchmark.reason));
    }
  }
  std::vector<FamilyState> out;
  for (auto& [family, state] : states) {
    state.benchmarks = static_cast<int>(measured[family].size());
    out.push_back(std::move(state));
  }
  return out;
}

std::string sentence(const ProbeAsked& asked) {
  std::string answer = asked.found;
  if (answer.ends_with('.')) answer.pop_back();
  if (asked.outcome.empty()) answer = "asked, no answer because " + answer;
  if (asked.outcome == "recovers") answer = "it recovers: " + answer;
  if (asked.outcome == "no_change") answer = "nothing changes: " + answer;
  if (asked.outcome == "worse") answer = "it becomes worse: " + answer;
  return fmt::format("Probe {}: {} {} ({:.0f} s)", asked.probe, asked.question, answer, asked.seconds);
}

}  // namespace gpugauge::report
