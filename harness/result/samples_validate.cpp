// The rules of samples.hpp, checked when a file is written and when it is read.
#include <cmath>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "result/samples_json.hpp"

namespace gpugauge::result {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::invalid_argument(where + ": " + what);
}

void require_finite(const std::string& where, const char* name, double value) {
  if (!std::isfinite(value)) refuse(where, fmt::format("{} is not finite", name));
}

void validate(const Metric& metric, const std::string& where) {
  if (metric.name.empty()) refuse(where, "a metric has no name");
  const std::string place = where + ":" + metric.name;
  if (!is_unit(metric.unit))
    refuse(place, fmt::format("'{}' is no unit that this version knows", metric.unit));
  if (!is_class(metric.metric_class))
    refuse(place, fmt::format("'{}' is no class that this version knows", metric.metric_class));
  if (metric.statistic.empty()) refuse(place, "the statistic is not named");
  require_finite(place, "value", metric.value);
  require_finite(place, "resolution", metric.resolution);
  if (metric.judged && metric.value <= 0) refuse(place, "a judged value must be above 0");
  if (metric.resolution < 0) refuse(place, "resolution is negative");
  if (!metric.judged && metric.note.empty()) refuse(place, "is not judged and does not say why");
  if (metric.limit) {
    require_finite(place, "limit", metric.limit->value);
    if (metric.limit->value <= 0) refuse(place, "limit must be above 0");
    if (metric.limit->source.empty()) refuse(place, "limit has no source");
    if (metric.limit->floor) {
      if (!metric.limit->saturating) refuse(place, "only a saturating limit has a floor");
      // Written so that NaN is refused too.
      if (!(*metric.limit->floor > 0 && *metric.limit->floor < 1))
        refuse(place, "limit's floor must be above 0 and below 1");
    }
  }
}

void validate(const Batches& batches, const std::string& where) {
  const std::size_t count = batches.seconds_per_operation.size();
  for (const double seconds : batches.seconds_per_operation)
    if (!std::isfinite(seconds) || seconds <= 0)
      refuse(where, "a batch's seconds_per_operation is not above 0");
  const auto same_length = [&](const std::vector<double>& values, const char* name) {
    if (!values.empty() && values.size() != count)
      refuse(where, fmt::format("{} has {} entries for {} batches", name, values.size(), count));
    for (const double value : values)
      if (!std::isfinite(value) || value < 0) refuse(where, fmt::format("{} has an entry below 0", name));
  };
  same_length(batches.cpu_seconds_per_operation, "cpu_seconds_per_operation");
  same_length(batches.sm_clock_hz, "sm_clock_hz");
  if (count > 0 && batches.operations_per_batch < 1) refuse(where, "operations_per_batch is below 1");
  require_finite(where, "window_seconds", batches.window_seconds);
  require_finite(where, "cpu_seconds", batches.cpu_seconds);
}

void validate(const BenchmarkResult& result, const std::string& family) {
  if (result.id.rfind(family + "/", 0) != 0)
    refuse(result.id.empty() ? family : result.id,
           fmt::format("the id does not begin with its family '{}/'", family));
  if (result.status != Status::ok && result.reason.empty())
    refuse(result.id, "is not ok and gives no reason");
  validate(result.batches, result.id);
  std::set<std::string> names;
  for (const Metric& metric : result.metrics) {
    validate(metric, result.id);
    if (!names.insert(metric.name).second)
      refuse(result.id, fmt::format("has the metric '{}' twice", metric.name));
  }
  for (const Verification& check : result.verifications) {
    if (check.method.empty()) refuse(result.id, "a verification does not say how");
    if (check.error) require_finite(result.id, "verification error", *check.error);
    if (check.tolerance) require_finite(result.id, "verification tolerance", *check.tolerance);
    if (!check.passed && result.status == Status::ok)
      refuse(result.id, "is ok although a verification failed");
  }
}

}  // namespace

void validate(const Samples& samples) {
  if (samples.family.empty()) refuse("samples", "the family is not named");
  if (samples.status != Status::ok && samples.reason.empty())
    refuse(samples.family, "is not ok and gives no reason");
  std::set<std::string> ids;
  for (const BenchmarkResult& result : samples.benchmarks) {
    validate(result, samples.family);
    if (!ids.insert(result.id).second) refuse(result.id, "stands twice in one sample file");
  }
}

std::string metric_key(const std::string& benchmark_id, const std::string& metric_name) {
  return benchmark_id + ":" + metric_name;
}

}  // namespace gpugauge::result
