#include "conductor/work_samples.hpp"

#include <algorithm>
#include <cstddef>

namespace gpugauge::conductor {
namespace {

/// The value in the middle, and of two the upper one: it was sampled, where the mean of both may be a clock
/// that the GPU never had.
std::optional<double> upper_median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// When the round's first process began. Before it the GPU was idle, or cooled from other work.
double begin_of_work(const result::Run& run) {
  double out = run.processes.empty() ? 0 : run.processes.front().start_seconds;
  for (const result::Process& process : run.processes) out = std::min(out, process.start_seconds);
  return out;
}

}  // namespace

std::vector<double> samples_of(const std::vector<result::Run>& runs, const std::string& source,
                               const std::string& name) {
  std::vector<double> out;
  for (const result::Run& run : runs) {
    const double begin = begin_of_work(run);
    for (const result::Series& series : run.telemetry) {
      if (series.source != source || series.name != name) continue;
      for (std::size_t i = 0; i < series.values.size(); ++i)
        if (i >= series.seconds.size() || series.seconds[i] >= begin) out.push_back(series.values[i]);
    }
  }
  return out;
}

std::optional<double> value_under_load(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return upper_median(std::move(values));
}

std::optional<double> lowest_under_load(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.resize((values.size() + 1) / 2);
  return upper_median(std::move(values));
}

}  // namespace gpugauge::conductor
