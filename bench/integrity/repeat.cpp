#include "integrity/repeat.hpp"

#include "support/interrupt.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::integrity {

void repeat_for_window(Trial& trial, const std::function<void()>& once) {
  const double seconds = trial.window().seconds;
  constexpr int fewest = 3;
  const double start = steady_seconds();
  int repeats = 0;
  while (repeats < fewest || steady_seconds() - start < seconds) {
    if (interrupted()) throw Interrupted{};
    once();
    ++repeats;
  }
  result::Metric metric;
  metric.name = "repeats";
  metric.unit = "1";
  metric.better = result::Direction::higher;
  metric.metric_class = "integrity";
  metric.statistic = "maximum";
  metric.value = repeats;
  metric.judged = false;
  metric.note = "how often the operation was repeated; that every repeat was the same is what counts";
  trial.metric(std::move(metric));
}

}  // namespace gpugauge::bench::integrity
