#include "first_launch/samples.hpp"

#include <fmt/format.h>

#include "first_launch/times.hpp"
#include "support/cuda/fresh_on_gpu.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::first_launch {

std::filesystem::path FreshFolders::next() {
  std::filesystem::path folder = parent_->path() / std::to_string(count_++);
  std::filesystem::create_directory(folder);
  return folder;
}

Sampled sample(Trial& trial, const std::function<FreshProcess()>& next, std::size_t fewest) {
  constexpr std::size_t most = 100;
  Sampled out;
  out.planned = fewest;
  out.before = cuda::run_fresh_on_gpu(trial, next());
  std::vector<FreshResult>& results = out.results;
  const double start = steady_seconds();
  while (results.size() < most) {
    if (is_last_process(results.size(), fewest, steady_seconds() - start, trial.window())) break;
    results.push_back(cuda::run_fresh_on_gpu(trial, next()));
  }
  if (results.size() < fewest)
    trial.note("budget", fmt::format("ended after {} of {} processes, which do not fit into {:.3g} s",
                                     results.size(), fewest, trial.window().budget_seconds));
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

void add_times(Trial& trial, const Sampled& sampled, const std::string& name, const std::string& metric_class,
               double resolution, const std::function<double(const FreshResult&)>& value) {
  std::vector<double> values;
  values.reserve(sampled.results.size());
  for (const FreshResult& result : sampled.results) values.push_back(value(result));
  for (result::Metric& metric : times_of(values, sampled.planned, name, metric_class, resolution))
    trial.metric(std::move(metric));
}

}  // namespace gpugauge::bench::first_launch
