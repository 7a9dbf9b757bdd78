#include "first_launch/samples.hpp"

#include <utility>

#include <fmt/format.h>

#include "support/cuda/fresh_on_gpu.hpp"
#include "support/statistics.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::first_launch {

std::filesystem::path FreshFolders::next() {
  std::filesystem::path folder = parent_->path() / std::to_string(count_++);
  std::filesystem::create_directory(folder);
  return folder;
}

Sampled sample(Trial& trial, const std::function<FreshProcess()>& next) {
  constexpr std::size_t fewest = 3;
  constexpr std::size_t most = 100;
  Sampled out;
  out.before = cuda::run_fresh_on_gpu(trial, next());
  std::vector<FreshResult>& results = out.results;
  const double start = steady_seconds();
  while (results.size() < most) {
    const double past = steady_seconds() - start;
    const bool enough = results.size() >= fewest;
    if (enough && past >= trial.window().seconds) break;
    if (!results.empty() && past >= trial.window().budget_seconds) break;
    results.push_back(cuda::run_fresh_on_gpu(trial, next()));
  }
  if (results.size() < fewest)
    trial.note("budget", fmt::format("ended after {} of {} processes", results.size(), fewest));
  double wrong = 0;
  for (const FreshResult& result : results) wrong += result.report.at(key::wrong_values);
  trial.verify("values that first kernels computed wrongly", wrong, 0);
  trial.note("processes", std::to_string(results.size()));
  trial.note("timer", "steady_clock");
  const Report& last = results.back().report;
  trial.note("ptx_version", fmt::format("{:.0f}", last.at(key::ptx_version)));
  trial.note("binary_version", fmt::format("{:.0f}", last.at(key::binary_version)));
  return out;
}

void add_times(Trial& trial, const std::vector<FreshResult>& results, const std::string& name,
               const std::string& metric_class, double resolution,
               const std::function<double(const FreshResult&)>& value) {
  std::vector<double> values;
  values.reserve(results.size());
  for (const FreshResult& result : results) values.push_back(value(result));
  result::Metric metric;
  metric.name = name;
  metric.unit = "second";
  metric.better = result::Direction::lower;
  metric.metric_class = metric_class;
  metric.statistic = "median";
  metric.value = rounded(median(values));
  metric.resolution = rounded(resolution);
  if (!(metric.value > 0)) {
    metric.judged = false;
    metric.note = "too short for the clock";
  }
  trial.metric(metric);
  for (const auto& [statistic, quantile] :
       {std::pair{Statistic::p90, 0.90}, std::pair{Statistic::p99, 0.99}}) {
    result::Metric slow = metric;
    slow.statistic = to_string(statistic);
    slow.name = fmt::format("{}_{}", name, slow.statistic);
    slow.value = rounded(nearest_rank(values, quantile));
    if (slow.judged && values.size() < fewest_for(statistic)) {
      slow.judged = false;
      slow.note = fmt::format("{} processes are fewer than the {} that a {} is judged from", values.size(),
                              fewest_for(statistic), slow.statistic);
    }
    trial.metric(std::move(slow));
  }
}

}  // namespace gpugauge::bench::first_launch
