#include "support/cuda/candidates.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/choice.hpp"
#include "support/cuda/device.hpp"
#include "support/interrupt.hpp"
#include "support/per_clock.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::cuda {

namespace {

// Enough to tell candidates a few percent apart; what is reported is measured again in a window of its own.
constexpr int search_rounds = 3;
constexpr double search_seconds = 0.01;  // in each; the first also finds how many operations a batch has
constexpr double search_batch_seconds = 2e-3;
// Only a median is taken from it.
constexpr double best_window_share = 0.4;

double amount(Quantity quantity, const result::Work& work) {
  return quantity == Quantity::throughput  ? work.flops
         : quantity == Quantity::bandwidth ? work.bytes
                                           : work.items;
}

}  // namespace

Candidates::Candidates(Trial& trial, std::vector<Candidate> candidates, Options options)
    : trial_(trial),
      candidates_(std::move(candidates)),
      timer_(trial,
             [this](cudaStream_t stream, std::int64_t index) { candidates_[current_].run(stream, index); },
             {.launches_per_operation = options.launches_per_operation, .warm_seconds = 0.05}) {
  if (candidates_.empty()) throw std::logic_error("Candidates: at least one is needed");
}

void Candidates::search() {
  Window window;
  window.seconds = search_seconds;
  window.batch_seconds = search_batch_seconds;
  window.minimum_batches = 3;
  window.budget_seconds = 0.2;
  bool warm = false;
  std::vector<std::int64_t> operations(candidates_.size(), 0);
  const int rounds = candidates_.size() == 1 ? 1 : search_rounds;
  const Tried tried = try_in_turns(candidates_.size(), rounds, [&](std::size_t index) -> double {
    current_ = index;
    if (!warm) timer_.warm_up();
    // From now on the GPU is under load: none is compared at a colder one's clock.
    timer_.power_heavy(false);
    warm = true;
    if (candidates_.size() == 1) return 1;
    if (operations[index] == 0) {
      const result::Batches batches = bench::measure(timer_, window);
      operations[index] = std::max<std::int64_t>(1, batches.operations_per_batch);
      return seconds_per_operation(batches, Statistic::median);
    }
    std::vector<double> seconds;
    const double end = steady_seconds() + search_seconds;
    do {
      if (interrupted()) throw Interrupted{};
      seconds.push_back(timer_.time_batch(operations[index]).seconds /
                        static_cast<double>(operations[index]));
    } while (steady_seconds() < end);
    return median(std::move(seconds));
  });
  current_ = 0;
  while (!tried.seconds[first_]) ++first_;
  if (tried.refused > 0)
    trial_.note("candidates_refused", fmt::format("{}: {}", tried.refused, tried.refusal));
  best_ = fastest_candidate(tried.seconds);
}

void Candidates::measure(const result::Work& work) {
  search();
  trial_.note("candidates", fmt::format("{}", candidates_.size()));
  trial_.note("candidate_first", candidates_[first_].description);
  trial_.note("candidate_best", candidates_[best_].description);
  trial_.work(work);
  current_ = first_;
  trial_.time(timer_);
  const Definition& definition = *trial_.instance().definition;
  const Quantity quantity = definition.quantity_kind.value();
  if (quantity == Quantity::throughput || quantity == Quantity::rate)
    add_per_clock(trial_, work, device().sm_count);
  double seconds = seconds_per_operation(trial_.batches(), Statistic::median);
  if (best_ != first_) {
    current_ = best_;
    Window window = trial_.window();
    window.seconds *= best_window_share;
    seconds = std::min(seconds, seconds_per_operation(bench::measure(timer_, window), Statistic::median));
    current_ = first_;
  }
  result::Metric metric;
  metric.name = definition.metric_name(Statistic::median) + "_best";
  metric.unit = definition.unit();
  metric.better = direction(quantity);
  metric.metric_class = definition.metric_class;
  metric.statistic = to_string(Statistic::median);
  metric.value = rounded(quantity == Quantity::latency ? seconds : amount(quantity, work) / seconds);
  metric.note = best_ == first_ ? "the first candidate is the fastest, or within 1% of it"
                                : fmt::format("candidate {} of {}", best_, candidates_.size());
  trial_.metric(std::move(metric));
}

}  // namespace gpugauge::bench::cuda
