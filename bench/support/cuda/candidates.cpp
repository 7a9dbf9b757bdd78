// Times the algorithms that a library offers, and compares the fastest of them with the first in turns.
#include "support/cuda/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/choice.hpp"
#include "support/cuda/device.hpp"
#include "support/interrupt.hpp"
#include "support/measure.hpp"
#include "support/per_clock.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::cuda {

namespace {

// Enough to tell apart candidates that differ by a few percent. What is reported is measured again, in turns
// with the first.
constexpr double search_seconds = 0.01;  // in each round
constexpr double search_batch_seconds = 2e-3;
constexpr double calibration_seconds = 0.2;
// Shares of the trial's window and of its fewest batches; only medians are taken.
constexpr double turns_share = 0.4;
constexpr int turns_batches_share = 2;
// The error that a search at a power limit may make, and how many candidates share the window with the first, or
// with `other`.
constexpr double contender_margin = 0.05;
constexpr std::size_t most_contenders = 3;

double amount(Quantity quantity, const result::Work& work) {
  return quantity == Quantity::throughput  ? work.flops
         : quantity == Quantity::bandwidth ? work.bytes
                                           : work.items;
}

}  // namespace

Candidates::Candidates(Trial& trial, std::vector<Candidate> candidates, Options options)
    : trial_(trial),
      candidates_(std::move(candidates)),
      offered_(options.offered == 0 ? candidates_.size() : options.offered),
      incomplete_(std::move(options.incomplete)),
      timer_(trial,
             [this](cudaStream_t stream, std::int64_t index) { candidates_[current_].run(stream, index); },
             {.launches_per_operation = options.launches_per_operation, .warm_seconds = 0.05}) {
  if (candidates_.empty() || offered_ > candidates_.size())
    throw std::logic_error("Candidates: at least one is needed, and as many as are offered");
}

double Candidates::time_turn() {
  std::int64_t& operations = operations_per_batch_[current_];
  std::vector<double> seconds;
  double end = steady_seconds() + search_seconds;
  if (operations == 0) {
    const double one = time_batch(1);
    if (one < search_batch_seconds / 2) {
      operations =
          calibrate(timer_, search_batch_seconds, steady_seconds() + calibration_seconds, steady_seconds);
      end = steady_seconds() + search_seconds;
    } else {
      operations = 1;
      seconds.push_back(one);
    }
  }
  while (seconds.empty() || steady_seconds() < end) seconds.push_back(time_batch(operations));
  return median(std::move(seconds));
}

double Candidates::time_batch(std::int64_t operations) {
  if (interrupted()) throw Interrupted{};
  return timer_.time_batch(operations).seconds / static_cast<double>(operations);
}

void Candidates::search() {
  const std::size_t offered = offered_;
  operations_per_batch_.assign(offered, 0);
  double seconds_of_first = 0;
  bool warm = false;
  const auto plan_of = [&](double seconds) {
    seconds_of_first = seconds;
    return plan_search(offered, seconds);
  };
  const Tried tried = try_in_turns(offered, plan_of, [&](std::size_t index) -> double {
    current_ = index;
    // The first that runs brings the GPU to its state under load. The others follow at once and only load their
    // kernels, so that none is timed at a colder GPU's clock.
    if (!warm) {
      timer_.warm_up();
      warm = true;
    } else if (operations_per_batch_[index] == 0) {
      timer_.load();
    }
    timer_.power_heavy(false);
    return offered > 1 ? time_turn() : 1;
  });
  seconds_ = tried.seconds;
  current_ = 0;
  while (!seconds_[first_]) ++first_;
  if (tried.refused > 0)
    trial_.note("candidates_refused", fmt::format("{}: {}", tried.refused, tried.refusal));
  if (tried.tried < offered)
    trial_.note(
        "candidates_tried",
        fmt::format("{} of {}: an operation of the first takes {:.2g} s, and trying them {:g} s at most",
                    tried.tried, offered, seconds_of_first, search_seconds_in_all));
}

double Candidates::time_batch_of(std::size_t index, std::int64_t operations) {
  const std::int64_t most = timer_.maximum_operations();
  current_ = index;
  return time_batch(most > 0 ? std::min(operations, most) : operations);
}

std::vector<std::vector<double>> Candidates::take_turns_with_first(const std::vector<std::size_t>& others) {
  const std::int64_t of_first = std::max<std::int64_t>(1, trial_.batches().operations_per_batch);
  std::vector<std::size_t> taking_part{first_};
  taking_part.insert(taking_part.end(), others.begin(), others.end());
  std::vector<std::int64_t> operations;
  operations.reserve(taking_part.size());
  for (const std::size_t index : taking_part) {
    const double as_long = static_cast<double>(of_first) * *seconds_[first_] / *seconds_[index];
    operations.push_back(static_cast<std::int64_t>(std::max(1.0, std::round(as_long))));
  }
  Window window = trial_.window();
  window.seconds *= turns_share;
  window.minimum_batches /= turns_batches_share;
  std::vector<std::vector<double>> seconds = take_turns_of(taking_part.size(), window, [&](std::size_t i) {
    return time_batch_of(taking_part[i], operations[i]);
  });
  current_ = first_;
  return seconds;
}

double Candidates::find_best(std::size_t& fewest) {
  best_ = first_;
  const bool is_long = *seconds_[first_] >= long_operation_seconds;
  std::vector<std::size_t> others = contenders(seconds_, contender_margin, is_long ? 1 : most_contenders);
  std::erase(others, first_);
  if (others.empty()) return 1;
  const std::vector<std::vector<double>> seconds = take_turns_with_first(others);
  fewest = std::min(fewest, seconds.front().size());
  const Fastest fastest = fastest_in_turns(seconds);
  if (fastest.index > 0) best_ = others[fastest.index - 1];
  return fastest.times;
}

Turns Candidates::best_beside(std::size_t other) {
  search();
  trial_.note("candidates", fmt::format("{}", offered_));
  trial_.note("candidate_first", candidates_[first_].description);
  current_ = other;
  timer_.load();
  const std::int64_t operations = calibrate(timer_, trial_.instance().definition->batch_target_seconds,
                                            steady_seconds() + calibration_seconds, steady_seconds);
  std::vector<std::size_t> taking_part = contenders(seconds_, contender_margin, most_contenders);
  taking_part.push_back(other);
  std::vector<std::vector<double>> seconds =
      take_turns_of(taking_part.size(), trial_.window(),
                    [&](std::size_t index) { return time_batch_of(taking_part[index], operations); });
  Turns turns{{}, std::move(seconds.back())};
  double fastest = 0;
  for (std::size_t i = 0; i + 1 < taking_part.size(); ++i) {
    const double middle = median(seconds[i]);
    if (i > 0 && middle >= fastest) continue;
    fastest = middle;
    best_ = taking_part[i];
    turns.first = seconds[i];
  }
  trial_.note("candidate_best", candidates_[best_].description);
  current_ = first_;
  return turns;
}

void Candidates::measure(const result::Work& work) {
  search();
  trial_.note("candidates", fmt::format("{}", offered_));
  trial_.note("candidate_first", candidates_[first_].description);
  trial_.work(work);
  current_ = first_;
  trial_.time(timer_);
  const Definition& definition = *trial_.instance().definition;
  const Quantity quantity = definition.quantity_kind.value();
  if (quantity == Quantity::throughput || quantity == Quantity::rate)
    add_per_clock(trial_, work, device().sm_count);
  std::size_t fewest = trial_.batches().seconds_per_operation.size();
  const double times = find_best(fewest);
  trial_.note("candidate_best", candidates_[best_].description);
  const double seconds = seconds_per_operation(trial_.batches(), Statistic::median);
  result::Metric metric;
  metric.name = definition.metric_name(Statistic::median) + "_best";
  metric.unit = definition.unit();
  metric.better = direction(quantity);
  metric.metric_class = definition.metric_class;
  metric.statistic = to_string(Statistic::median);
  metric.value = rounded(
      sped_up(quantity == Quantity::latency ? seconds : amount(quantity, work) / seconds, quantity, times));
  metric.note = best_ == first_
                    ? "the first candidate is the fastest, or within 1% of it"
                    : fmt::format("candidate {} of {}, {:.3f} times as fast as the first in turns with it",
                                  best_, offered_, times);
  if (fewest < fewest_to_judge) {
    metric.judged = false;
    metric.note = fmt::format("{} batches are fewer than the {} that a {} is judged from", fewest,
                              fewest_to_judge, metric.statistic);
  }
  if (!incomplete_.empty()) {
    metric.judged = false;
    metric.note = incomplete_;
  } else if (offered_ == 1) {
    metric.judged = false;
    metric.note = "the library offers one way: this is what the first one reached";
  }
  trial_.metric(std::move(metric));
}

}  // namespace gpugauge::bench::cuda
