#include "report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "judge/statistics.hpp"

namespace gpugauge::report {

namespace {

/// All values of one metric over several rounds.
struct Values {
  const result::BenchmarkResult* benchmark = nullptr;
  const result::Metric* metric = nullptr;
  std::vector<double> values, batches;  ///< over all processes
  std::vector<double> of_rounds;        ///< median over the processes of each round with the metric
  std::vector<double> best, spreads;    ///< of the batches of each process that has any
};

/// Adds the best of a process's batches, and how far its middle half reaches.
void add_batches(const result::BenchmarkResult& benchmark, const result::Metric& metric, Values& out) {
  std::vector<double> values = batch_values(benchmark, metric);
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  out.best.push_back(metric.better == result::Direction::higher ? *high : *low);
  constexpr std::size_t least = 4;
  if (values.size() < least) return;
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {  // between neighbours, as R's type 7
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  out.spreads.push_back((at(.75) - at(.25)) / at(.5));
}

std::map<std::string, Values> values_of(std::span<const result::Run> rounds) {
  std::map<std::string, Values> found;
  for (const result::Run& run : rounds) {
    std::map<std::string, std::vector<double>> here;
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        if (benchmark.status != result::Status::ok) continue;
        for (const result::Metric& metric : benchmark.metrics) {
          const std::string key = result::metric_key(benchmark.id, metric.name);
          Values& values = found[key];
          values.benchmark = &benchmark;
          values.metric = &metric;
          values.values.push_back(metric.value);
          values.batches.push_back(static_cast<double>(benchmark.batches.seconds_per_operation.size()));
          here[key].push_back(metric.value);
          add_batches(benchmark, metric, values);
        }
      }
    }
    for (const auto& [key, values] : here) found[key].of_rounds.push_back(judge::median(values));
  }
  return found;
}

/// `value`: the metric's value to report.
Measured made_of(const std::string& key, const Values& values, double value) {
  const result::Metric& metric = *values.metric;
  Measured made;
  made.key = key;
  made.benchmark = values.benchmark->id;
  made.statistic = metric.statistic;
  made.metric_class = metric.metric_class;
  made.unit = metric.unit;
  made.better = metric.better;
  made.value = value;
  const auto [low, high] = std::minmax_element(values.values.begin(), values.values.end());
  if (values.values.size() > 1 && value != 0) made.range = (*high - *low) / std::abs(value);
  made.processes = static_cast<int>(values.values.size());
  made.batches = static_cast<int>(judge::median(values.batches));
  if (!values.best.empty())
    made.best_batch = metric.better == result::Direction::higher
                          ? *std::max_element(values.best.begin(), values.best.end())
                          : *std::min_element(values.best.begin(), values.best.end());
  if (!values.spreads.empty()) made.batch_spread = judge::median(values.spreads);
  made.judged = metric.judged;
  made.note = metric.note;
  if (metric.limit && value > 0)
    made.share_of_limit = metric.better == result::Direction::higher ? value / metric.limit->value
                                                                     : metric.limit->value / value;
  return made;
}

bool has_figures(const judge::Verdict& verdict) {
  return verdict.judge == judge::Judge::baseline && verdict.value && verdict.baseline;
}

/// The share of a limit that only the physical judge knows, rescaled from the median of all processes to
/// `value`.
std::optional<double> share_at(const judge::Verdict& physical, double value) {
  if (!physical.share || !physical.value || !(*physical.value > 0) || !(value > 0)) return physical.share;
  const double times = value / *physical.value;
  return physical.better == result::Direction::higher ? *physical.share * times : *physical.share / times;
}

}  // namespace

std::vector<double> batch_values(const result::BenchmarkResult& benchmark, const result::Metric& metric) {
  std::vector<double> out;
  const std::vector<double>& times = benchmark.batches.seconds_per_operation;
  const bool rate = metric.unit.ends_with("/second");
  if (metric.statistic != "median" || times.empty() || (!rate && metric.unit != "second")) return out;
  const double middle = judge::median(times);
  if (!(middle > 0) || !(metric.value > 0)) return out;
  out.reserve(times.size());
  for (const double time : times)
    if (const double ratio = time / middle; ratio > 0)
      out.push_back(rate ? metric.value / ratio : metric.value * ratio);
  return out;
}

std::vector<Measured> summarise(const result::Run& run) {
  std::vector<Measured> out;
  for (const auto& [key, values] : values_of({&run, 1}))
    out.push_back(made_of(key, values, judge::median(values.of_rounds)));
  return out;
}

std::vector<Measured> summarise(const DeviceReport& device) {
  std::map<std::string, const judge::Verdict*> figures, limits;
  for (const judge::Verdict& verdict : device.verdicts) {
    if (has_figures(verdict)) figures.emplace(verdict.metric, &verdict);
    if (verdict.judge == judge::Judge::physical && verdict.share) limits.emplace(verdict.metric, &verdict);
  }
  std::vector<Measured> out;
  for (const auto& [key, values] : values_of(device.rounds)) {
    const auto judged = figures.find(key);
    const bool same = judged != figures.end() && judged->second->unit == values.metric->unit;
    out.push_back(made_of(key, values, same ? *judged->second->value : judge::median(values.of_rounds)));
    Measured& made = out.back();
    if (const auto limit = limits.find(key); !made.share_of_limit && limit != limits.end())
      made.share_of_limit = share_at(*limit->second, made.value);
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
