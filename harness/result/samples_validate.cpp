// The rules of samples.hpp, checked when a file is written and when it is read.
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/samples_json.hpp"

namespace gpugauge::result {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::invalid_argument(shortened(where) + ": " + what);
}

/// A metric of a benchmark. Its name is built only for an error.
struct MetricPlace {
  const std::string& benchmark;
  const std::string& metric;
};
[[noreturn]] void refuse(const MetricPlace& where, const std::string& what) {
  throw std::invalid_argument(metric_key(shortened(where.benchmark), shortened(where.metric)) + ": " + what);
}

template <typename Where>
void require_finite(const Where& where, const char* name, double value) {
  if (!std::isfinite(value)) refuse(where, fmt::format("{} is not finite", name));
}

template <typename Where>
void require_possible(const Where& where, const char* name, double value) {
  require_finite(where, name, value);
  if (!is_possible(value))
    refuse(where,
           fmt::format("{} is {:.3g}, and nothing of a machine is above {:g}", name, value, largest_value));
}

/// Requires a value that may be 0 but not negative.
template <typename Where>
void require_amount(const Where& where, const char* name, double value) {
  require_possible(where, name, value);
  if (value < 0) refuse(where, fmt::format("{} is below 0", name));
}

/// Requires a value that is at least smallest_value if positive: it is a divisor or dividend.
template <typename Where>
void require_size(const Where& where, const char* name, double value) {
  require_possible(where, name, value);
  if (value > 0 && value < smallest_value)
    refuse(where,
           fmt::format("{} is {:.3g}, and nothing of a machine is below {:g}", name, value, smallest_value));
}

/// Detects duplicate names.
class Names {
 public:
  explicit Names(std::size_t expected) { seen_.reserve(expected); }
  bool twice(std::string_view name) { return !seen_.insert(name).second; }

 private:
  std::unordered_set<std::string_view> seen_;
};

void validate(const Metric& metric, const std::string& where) {
  if (metric.name.empty()) refuse(where, "a metric has no name");
  const MetricPlace place{where, metric.name};
  if (!is_unit(metric.unit))
    refuse(place, fmt::format("{} is no unit that this version knows", quoted(metric.unit)));
  if (!is_class(metric.metric_class))
    refuse(place, fmt::format("{} is no class that this version knows", quoted(metric.metric_class)));
  if (metric.statistic.empty()) refuse(place, "the statistic is not named");
  if (metric.judged)
    require_size(place, "value", metric.value);
  else
    require_possible(place, "value", metric.value);
  require_possible(place, "resolution", metric.resolution);
  if (metric.judged && metric.value <= 0) refuse(place, "a judged value must be above 0");
  if (metric.resolution < 0) refuse(place, "resolution is negative");
  if (!metric.judged && metric.note.empty()) refuse(place, "is not judged and does not say why");
  if (metric.limit) {
    require_size(place, "limit", metric.limit->value);
    if (metric.limit->value <= 0) refuse(place, "limit must be above 0");
    if (metric.limit->source.empty()) refuse(place, "limit has no source");
    if (metric.limit->floor) {
      if (!metric.limit->saturating) refuse(place, "only a saturating limit has a floor");
      // This form also refuses NaN.
      if (!(*metric.limit->floor > 0 && *metric.limit->floor < 1))
        refuse(place, "limit's floor must be above 0 and below 1");
    }
  }
}

void validate(const Batches& batches, const std::string& where) {
  const std::size_t count = batches.seconds_per_operation.size();
  for (const double seconds : batches.seconds_per_operation)
    if (!is_possible_size(seconds))
      refuse(where,
             fmt::format("a batch's seconds_per_operation is {}",
                         seconds > 0 ? fmt::format("{:.3g}, which no time is", seconds) : "not above 0"));
  const auto same_length = [&](const std::vector<double>& values, const char* name) {
    if (!values.empty() && values.size() != count)
      refuse(where, fmt::format("{} has {} for {}", name, counted(values.size(), "entry", "entries"),
                                counted(count, "batch", "batches")));
    for (const double value : values) {
      require_possible(where, name, value);
      if (value < 0) refuse(where, fmt::format("{} has an entry below 0", name));
    }
  };
  same_length(batches.cpu_seconds_per_operation, "cpu_seconds_per_operation");
  same_length(batches.sm_clock_hz, "sm_clock_hz");
  if (count > 0 && batches.operations_per_batch < 1) refuse(where, "operations_per_batch is below 1");
  require_amount(where, "window_seconds", batches.window_seconds);
  require_amount(where, "cpu_seconds", batches.cpu_seconds);
}

void validate(const Timeline& timeline, const std::string& where) {
  double before = 0;
  const auto require_next = [&](const char* name, double value) {
    require_amount(where, name, value);
    if (value < before) refuse(where, fmt::format("{} comes before what it follows", name));
    before = value;
  };
  require_next("timeline's began", timeline.began);
  if (timeline.warming.has_value() != timeline.timed.has_value())
    refuse(where, "its timeline has only one of warming and timed");
  if (timeline.warming) require_next("timeline's warming", *timeline.warming);
  if (timeline.timed) require_next("timeline's timed", *timeline.timed);
  require_next("timeline's ended", timeline.ended);
}

/// For a benchmark's few metrics, a linear search is cheaper than a set.
bool stands_before(const std::vector<Metric>& metrics, std::size_t index) {
  for (std::size_t i = 0; i < index; ++i)
    if (metrics[i].name == metrics[index].name) return true;
  return false;
}

void validate_metrics(const BenchmarkResult& result) {
  constexpr std::size_t few = 16;
  const bool many = result.metrics.size() > few;
  Names names(many ? result.metrics.size() : 0);
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    const Metric& metric = result.metrics[i];
    validate(metric, result.id);
    if (many ? names.twice(metric.name) : stands_before(result.metrics, i))
      refuse(result.id, fmt::format("has the metric {} twice", quoted(metric.name)));
  }
}

bool begins_with_family(const std::string& id, const std::string& family) {
  return id.size() > family.size() && id[family.size()] == '/' && id.starts_with(family);
}

void validate(const BenchmarkResult& result, const std::string& family) {
  if (!begins_with_family(result.id, family))
    refuse(result.id.empty() ? family : result.id,
           fmt::format("the id does not begin with its family {}", quoted(family + "/")));
  if (result.status != Status::ok && result.reason.empty())
    refuse(result.id, "is not ok and gives no reason");
  validate(result.batches, result.id);
  if (result.timeline) validate(*result.timeline, result.id);
  for (const double amount : {result.work.bytes, result.work.flops, result.work.items})
    require_amount(result.id, "its work", amount);
  validate_metrics(result);
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
  Names ids(samples.benchmarks.size());
  for (const BenchmarkResult& result : samples.benchmarks) {
    validate(result, samples.family);
    if (ids.twice(result.id)) refuse(result.id, "stands twice in one sample file");
  }
}

std::string metric_key(const std::string& benchmark_id, const std::string& metric_name) {
  return benchmark_id + ":" + metric_name;
}

}  // namespace gpugauge::result
