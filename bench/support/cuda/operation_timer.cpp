// Times single operations on the host's clock and forms the metrics over them.
#include "support/cuda/operation_timer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "result/clock_reading.hpp"
#include "support/host.hpp"
#include "support/statistics.hpp"
#include "support/warm_up.hpp"

namespace gpugauge::bench::cuda {

namespace {

constexpr std::size_t most_kept = 1 << 20;

// Mean cost of one of `readings` consecutive readings.
double cost_in_row(int readings) {
  const double start = steady_seconds();
  double last = start;
  for (int i = 0; i < readings; ++i) last = steady_seconds();
  return (last - start) / readings;
}

// Cost of one reading: the smallest mean of several rows, because subtracting too little is better than too
// much.
double cost_of_reading() {
  double cost = std::numeric_limits<double>::infinity();
  for (int row = 0; row < 20; ++row) cost = std::min(cost, cost_in_row(1000));
  return cost;
}

// About 1 us where a reading needs no system call. That is little beside the shortest batches (about 40 us,
// where the queue bounds them).
constexpr int readings_a_batch = 32;
// More batches than fit into any window but the longest.
constexpr std::size_t most_readings = 1 << 14;

result::Metric metric(const char* name, const std::string& metric_class, const char* statistic,
                      double seconds) {
  result::Metric made;
  made.name = name;
  made.unit = "second";
  made.better = result::Direction::lower;
  made.metric_class = metric_class;
  made.statistic = statistic;
  made.value = rounded(seconds);
  made.resolution = rounded(steady_resolution_seconds());
  if (!(seconds > 0)) {
    made.judged = false;
    made.note = "not above what reading the clock costs";
  }
  return made;
}

result::Metric clock_reading(const std::string& metric_class, double seconds) {
  result::Metric made = metric(result::clock_reading.data(), metric_class, "median", seconds);
  made.resolution = rounded(steady_resolution_seconds() / readings_a_batch);
  made.judged = false;
  made.note = "how fast the processor ran: what reading its clock took after each batch";
  return made;
}

result::Metric p99_of(const std::vector<double>& operations, const std::string& metric_class) {
  result::Metric made = metric("operation_p99", metric_class, "p99", nearest_rank(operations, 0.99));
  if (made.judged && operations.size() < fewest_for_p99) {
    made.judged = false;
    made.note = fmt::format("{} operations are fewer than the {} that a p99 is judged from",
                            operations.size(), fewest_for_p99);
  }
  return made;
}

result::Metric maximum_of(const std::vector<double>& operations, const std::string& metric_class) {
  result::Metric made = metric("operation_maximum", metric_class, "maximum",
                               *std::max_element(operations.begin(), operations.end()));
  made.judged = false;
  made.note = fmt::format("the slowest of {} operations: one disturbance makes it", operations.size());
  return made;
}

/// "1980 MHz", "unknown" for 0.
std::string clock_text(double hertz) {
  return hertz > 0 ? fmt::format("{:.0f} MHz", hertz * 1e-6) : "unknown";
}

/// The kernel's clock source; "unknown" where it is not shown (some sandboxes).
std::string clock_source() {
  const std::string name = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  return name.empty() ? "unknown" : name;
}

}  // namespace

OperationTimer::OperationTimer(std::function<void()> operation, std::function<void()> prepare,
                               std::int64_t most, double known_seconds)
    : operation_(std::move(operation)),
      prepare_(std::move(prepare)),
      most_(most),
      known_seconds_(known_seconds) {
  seconds_.reserve(most_kept);
  clock_readings_.reserve(most_readings);
}

double OperationTimer::resolution_seconds() const {
  return steady_resolution_seconds();
}

void OperationTimer::warm_up() {
  if (spin_) {
    warm_until_steady({}, [this](std::int64_t milliseconds) {
      const BatchTime spun = spin_(milliseconds);
      warm_clock_hz_ = spun.sm_clock_hz;
      return spun;
    });
  }
  prepare_();
  operation_();
  prepare_();
  const double end = steady_seconds() + 0.02;
  while (steady_seconds() < end) {
    for (std::int64_t i = 0; i < (most_ > 0 ? std::min<std::int64_t>(most_, 64) : 64); ++i) operation_();
    prepare_();
  }
  clock_cost_ = cost_of_reading();
  seconds_.clear();
  clock_readings_.clear();
  cpu_seconds_ = 0;
  cpu_operations_ = 0;
}

BatchTime OperationTimer::time_batch(std::int64_t operations) {
  prepare_();
  double sum = 0;
  const double cpu_start = thread_cpu_seconds();
  double before = steady_seconds();
  for (std::int64_t i = 0; i < operations; ++i) {
    operation_();
    const double now = steady_seconds();
    const double seconds = now - before - clock_cost_ - known_seconds_;
    sum += seconds;
    if (seconds_.size() < most_kept) seconds_.push_back(static_cast<float>(seconds));
    before = now;
  }
  cpu_seconds_ += thread_cpu_seconds() - cpu_start;
  cpu_operations_ += operations;
  // After the operations: before them it would wake a processor whose idling is part of the measurement.
  if (clock_readings_.size() < most_readings)
    clock_readings_.push_back(static_cast<float>(cost_in_row(readings_a_batch)));
  return BatchTime{std::max(sum, 0.0), 0};
}

void OperationTimer::add_metrics(Trial& trial, const std::string& metric_class, bool cpu_time,
                                 SlowEnd slow_end) const {
  if (spin_) {
    trial.note("sm_clock_warmed_up", clock_text(warm_clock_hz_));
    trial.note("sm_clock_behind_window", clock_text(spin_(1).sm_clock_hz));
  }
  trial.note("clock_cost_seconds", fmt::format("{:.3g}", clock_cost_));
  trial.note(std::string(result::clock_source_note), clock_source());
  trial.note("clock_resolution_seconds", fmt::format("{:.3g}", steady_resolution_seconds()));
  if (known_seconds_ > 0) trial.note("subtracted_seconds", fmt::format("{:.6g}", known_seconds_));
  trial.note("operations_timed", fmt::format("{}", seconds_.size()));
  std::vector<double> sorted(seconds_.begin(), seconds_.end());
  if (sorted.empty()) return;
  double sum = 0;
  for (const double seconds : sorted) sum += seconds;
  trial.metric(metric("operation_mean", metric_class, "mean", sum / static_cast<double>(sorted.size())));
  trial.metric(metric("operation_p50", metric_class, "p50", nearest_rank(sorted, 0.50)));
  trial.metric(metric("operation_p90", metric_class, "p90", nearest_rank(sorted, 0.90)));
  trial.metric(slow_end == SlowEnd::p99 ? p99_of(sorted, metric_class) : maximum_of(sorted, metric_class));
  if (cpu_time && cpu_operations_ > 0) {
    result::Metric cpu = metric("cpu_per_operation", metric_class, "mean", cpu_per_operation());
    cpu.note = cpu.judged ? "processor time of the calling thread, clock readings included" : cpu.note;
    trial.metric(std::move(cpu));
  }
  // A clock that stands still tells nothing.
  if (const double reading = median({clock_readings_.begin(), clock_readings_.end()}); reading > 0)
    trial.metric(clock_reading(metric_class, reading));
}

}  // namespace gpugauge::bench::cuda
