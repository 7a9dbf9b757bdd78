// Records one instance's batches, metrics, notes and checks, and forms its result.
#include "support/trial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "result/number.hpp"
#include "result/occupied.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench {

namespace {

// In a shorter window the mean tells nothing that the median does not: a CPU quota is accounted in periods of
// 100 ms.
constexpr double shortest_mean_window = 1.0;

double work_of(Quantity quantity, const result::Work& work) {
  switch (quantity) {
    case Quantity::latency:
      return 0;
    case Quantity::bandwidth:
      return work.bytes;
    case Quantity::throughput:
      return work.flops;
    case Quantity::rate:
      return work.items;
  }
  return 0;
}

double busy_share(const result::Batches& batches) {
  const double each =
      std::accumulate(batches.seconds_per_operation.begin(), batches.seconds_per_operation.end(), 0.0);
  return each * static_cast<double>(batches.operations_per_batch) / batches.window_seconds;
}

}  // namespace

Trial::Trial(const Instance& instance, const Window& window, std::uint64_t data_seed, Loop loop, Keep keep)
    : instance_(instance),
      window_(window),
      data_seed_(data_seed),
      loop_(std::move(loop)),
      keep_(std::move(keep)) {
  result_.id = instance.id;
  result_.timeline = result::Timeline{rounded(process_seconds()), std::nullopt, std::nullopt, 0};
  result_.parameters = instance.parameters;
  if (instance.definition->is_saturating) note("saturating", "true");
}

const Instance& Trial::instance() const {
  return instance_;
}

const std::string& Trial::parameter(const std::string& axis) const {
  const auto found = instance_.parameters.find(axis);
  if (found == instance_.parameters.end())
    throw std::logic_error(fmt::format("benchmark {} has no axis {}", instance_.id, axis));
  return found->second;
}

std::int64_t Trial::integer(const std::string& axis) const {
  const std::string& text = parameter(axis);
  const auto value = result::number_in<std::int64_t>(text);
  if (!value)
    throw std::logic_error(fmt::format("benchmark {}: {} '{}' is not an integer", instance_.id, axis, text));
  return *value;
}

std::uint64_t Trial::data_seed() const {
  return data_seed_;
}

void Trial::work(result::Work work_of_one_operation) {
  result_.work = work_of_one_operation;
}

void Trial::limit(const std::string& metric, result::Limit limit) {
  limits_.emplace_back(metric, std::move(limit));
}

void Trial::note(const std::string& key, const std::string& value) {
  result_.notes[key] = value;
}

void Trial::skip(std::string reason) {
  throw Skipped{std::move(reason)};
}

void Trial::unavailable(std::string reason, bool occupied) {
  throw Skipped{std::move(reason), result::Status::unavailable, occupied};
}

void Trial::time(const std::function<void(std::int64_t)>& operations) {
  HostTimer timer(operations);
  time(timer);
}

void Trial::time(Timer& timer) {
  if (timed_) throw std::logic_error(fmt::format("benchmark {} calls time() twice", instance_.id));
  timed_ = true;
  const Measure measure_window = [&]() -> const result::Batches& {
    result_.timeline->warming = rounded(process_seconds());
    result_.batches = measure(timer, window_);
    result_.timeline->timed = rounded(process_seconds());
    return result_.batches;
  };
  if (loop_)
    loop_(measure_window);
  else
    measure_window();
  resolution_seconds_ = timer.resolution_seconds();
  note("timer", timer.name());
  if (timer.times_gpu_at_work()) note("gpu_busy_share", fmt::format("{:.3f}", busy_share(result_.batches)));
  const std::size_t count = result_.batches.seconds_per_operation.size();
  if (count < static_cast<std::size_t>(window_.minimum_batches))
    note("budget", fmt::format("ended after {} of {} batches", count, window_.minimum_batches));
}

void Trial::record(result::Batches batches, const std::string& timer, double resolution_seconds) {
  if (timed_) throw std::logic_error(fmt::format("benchmark {} times twice", instance_.id));
  timed_ = true;
  result_.batches = std::move(batches);
  resolution_seconds_ = resolution_seconds;
  note("timer", timer);
}

const Window& Trial::window() const {
  return window_;
}

void Trial::metric(result::Metric metric) {
  if (!std::isfinite(metric.value))
    throw std::invalid_argument(
        fmt::format("benchmark {}: metric {} is not finite", instance_.id, metric.name));
  result_.metrics.push_back(std::move(metric));
}

void Trial::verify(const std::string& method, double error, double tolerance) {
  result::Verification check{method, error <= tolerance && std::isfinite(tolerance), std::nullopt,
                             std::nullopt};
  if (std::isfinite(error)) check.error = error;
  if (std::isfinite(tolerance)) check.tolerance = tolerance;
  check.passed = check.passed && check.error.has_value();
  result_.verifications.push_back(std::move(check));
}

void Trial::verify(const std::string& method, bool passed) {
  result_.verifications.push_back({method, passed, std::nullopt, std::nullopt});
}

void Trial::verify_deterministic(const std::vector<std::uint64_t>& checksums) {
  const bool agree =
      checksums.size() >= 2 && checksums.front() != 0 &&
      std::adjacent_find(checksums.begin(), checksums.end(), std::not_equal_to<>()) == checksums.end();
  verify(fmt::format("{} checksums agree bit for bit", checksums.size()), agree);
}

void Trial::part_failed(const std::string& sentence) {
  failed_parts_ += (failed_parts_.empty() ? "" : "; ") + sentence;
}

void Trial::part_occupied(const std::string& sentence) {
  occupied_parts_ += (occupied_parts_.empty() ? "" : "; ") + sentence;
}

void Trial::keep_before(const std::string& next) const {
  if (!keep_) return;
  Trial so_far(*this);
  keep_(so_far.finish(), next);
}

void Trial::keep_as(result::Status status, const std::string& reason, const std::string& next) const {
  if (!keep_) return;
  result::BenchmarkResult ended = result_;
  ended.timeline->ended = rounded(process_seconds());
  ended.status = status;
  ended.reason = reason;
  keep_(std::move(ended), next);
}

const result::Batches& Trial::batches() const {
  return result_.batches;
}

void Trial::form_metrics() {
  const Definition& definition = *instance_.definition;
  const Quantity quantity = *definition.quantity_kind;
  const result::Batches& batches = result_.batches;
  const double work = work_of(quantity, result_.work);
  if (quantity != Quantity::latency && !(work > 0))
    throw std::logic_error(
        fmt::format("benchmark {} declares no work for its {}", instance_.id, to_string(quantity)));
  const double batch_seconds =
      seconds_per_operation(batches, Statistic::median) * static_cast<double>(batches.operations_per_batch);
  for (const Statistic statistic : definition.statistic_kinds) {
    const double seconds = seconds_per_operation(batches, statistic);
    result::Metric metric;
    metric.name = definition.metric_name(statistic);
    metric.unit = definition.unit();
    metric.better = direction(quantity);
    metric.metric_class = definition.metric_class;
    metric.statistic = to_string(statistic);
    metric.value = rounded(quantity == Quantity::latency ? seconds : work / seconds);
    metric.resolution = rounded(metric.value * resolution_seconds_ / batch_seconds);
    if (statistic == Statistic::mean && batches.window_seconds < shortest_mean_window) {
      metric.judged = false;
      metric.note = fmt::format("the window of {:.2f} s is shorter than the 1 s that a mean is judged from",
                                batches.window_seconds);
    } else if (const std::size_t count = batches.seconds_per_operation.size();
               count < fewest_for(statistic)) {
      metric.judged = false;
      metric.note = fmt::format("{} batches are fewer than the {} that a {} is judged from", count,
                                fewest_for(statistic), metric.statistic);
    }
    result_.metrics.push_back(std::move(metric));
  }
}

result::BenchmarkResult Trial::finish() {
  result_.timeline->ended = rounded(process_seconds());
  if (instance_.definition->quantity_kind) {
    if (!timed_) throw std::logic_error(fmt::format("benchmark {} never calls time()", instance_.id));
    form_metrics();
  }
  if (result_.metrics.empty())
    throw std::logic_error(fmt::format("benchmark {} has no metric", instance_.id));
  if (result_.verifications.empty())
    throw std::logic_error(fmt::format("benchmark {} verifies nothing", instance_.id));
  for (const auto& [name, limit] : limits_) {
    const auto found =
        std::find_if(result_.metrics.begin(), result_.metrics.end(),
                     [&name = name](const result::Metric& metric) { return metric.name == name; });
    if (found == result_.metrics.end())
      throw std::logic_error(
          fmt::format("benchmark {} limits a metric {} that it does not have", instance_.id, name));
    found->limit = limit;
  }
  for (const result::Verification& check : result_.verifications) {
    if (check.passed) continue;
    result_.status = result::Status::failed;
    result_.reason = fmt::format("wrong result: {}", check.method);
    if (check.error && check.tolerance)
      result_.reason += fmt::format(", error {:.3g} exceeds {:.3g}", *check.error, *check.tolerance);
    else if (check.tolerance)
      result_.reason += ", the error is not a finite number";
    return std::move(result_);
  }
  if (!failed_parts_.empty()) {
    result_.status = result::Status::failed;
    result_.reason = failed_parts_;
  } else if (!occupied_parts_.empty()) {
    result_.status = result::Status::unavailable;
    result_.reason = occupied_parts_;
    note(result::occupied_note, "true");
  }
  return std::move(result_);
}

}  // namespace gpugauge::bench
