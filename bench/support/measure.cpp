#include "support/measure.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "support/interrupt.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench {

namespace {

constexpr double longest_without_time = 0.5;

BatchTime timed(Timer& timer, std::int64_t operations) {
  if (interrupted()) throw Interrupted{};
  const BatchTime batch = timer.time_batch(operations);
  if (!(std::isfinite(batch.seconds) && batch.seconds >= 0))
    throw std::runtime_error(fmt::format("the timer {} reported {} seconds for {} operations", timer.name(),
                                         batch.seconds, operations));
  return batch;
}

std::int64_t bounded(const Timer& timer, double operations) {
  constexpr double most = 1e15;
  const auto wanted = static_cast<std::int64_t>(std::clamp(std::round(operations), 1.0, most));
  const std::int64_t limit = timer.maximum_operations();
  return limit > 0 ? std::min(wanted, limit) : wanted;
}

// Fastest of three runs while there is time, because an interrupted batch must not shorten all later ones.
// One run is enough where the time before was long too (`once` seconds; 0 = not timed yet).
double fastest(Timer& timer, std::int64_t operations, double once, double deadline,
               const std::function<double()>& now) {
  constexpr double is_long = 0.05;
  double seconds = timed(timer, operations).seconds;
  for (int i = 0; i < 2 && std::min(once, seconds) < is_long && now() < deadline; ++i)
    seconds = std::min(seconds, timed(timer, operations).seconds);
  return seconds;
}

}  // namespace

std::int64_t calibrate(Timer& timer, double batch_seconds, double deadline,
                       const std::function<double()>& now) {
  std::int64_t operations = 1;
  double seconds = timed(timer, operations).seconds;
  while (now() < deadline) {
    const double before = static_cast<double>(operations);
    if (seconds >= batch_seconds / 2) {
      seconds = fastest(timer, operations, seconds, deadline, now);
      // On a busy machine a few operations can seem long because a thread waits for its processor. Twice the
      // operations then take no longer, and the batch keeps growing.
      const std::int64_t twice = bounded(timer, before * 2);
      if (seconds >= batch_seconds * 4 || twice <= operations)
        return bounded(timer, before * batch_seconds / seconds);
      const double longer = fastest(timer, twice, 0, deadline, now);
      if (longer >= seconds * 1.5 || longer >= batch_seconds * 4)
        return bounded(timer, static_cast<double>(twice) * batch_seconds / longer);
      operations = twice;
      seconds = longer;
      continue;
    }
    const double scaled = seconds > 0 ? before * batch_seconds / seconds : before * 10;
    const std::int64_t next = bounded(timer, std::clamp(scaled, before * 2, before * 10));
    if (next <= operations) break;
    operations = next;
    const double start = now();
    seconds = timed(timer, operations).seconds;
    // A clock that stands still would make the batch grow for ever.
    if (seconds <= 0 && now() - start > longest_without_time)
      throw std::runtime_error(
          fmt::format("the timer {} shows no time for {} operations that took {:.2g} s by the host's clock",
                      timer.name(), operations, now() - start));
  }
  return operations;
}

bool has_ended(const Window& window, double seconds, int count) {
  constexpr double longest_in_budgets = 4;
  if (count >= window.maximum_batches || seconds >= longest_in_budgets * window.budget_seconds) return true;
  if (seconds >= window.budget_seconds && count >= static_cast<int>(fewest_to_judge)) return true;
  return seconds >= window.seconds && count >= window.minimum_batches;
}

result::Batches measure(Timer& timer, const Window& window, const std::function<double()>& now) {
  timer.warm_up();
  result::Batches batches;
  batches.operations_per_batch = calibrate(timer, window.batch_seconds, now() + window.budget_seconds, now);
  const double operations = static_cast<double>(batches.operations_per_batch);

  // Reserves all memory now: growing inside the window would fault pages between two batches.
  const double expected =
      std::clamp(2 * window.seconds / window.batch_seconds, static_cast<double>(window.minimum_batches),
                 static_cast<double>(window.maximum_batches));
  batches.seconds_per_operation.reserve(static_cast<std::size_t>(expected));
  batches.cpu_seconds_per_operation.reserve(static_cast<std::size_t>(expected));
  batches.sm_clock_hz.reserve(static_cast<std::size_t>(expected));

  bool has_sm_clock = false;
  const double cpu_start = process_cpu_seconds();
  const double start = now();
  double cpu_before = cpu_start;
  for (int count = 0;;) {
    const BatchTime batch = timed(timer, batches.operations_per_batch);
    if (batch.seconds <= 0)
      throw std::runtime_error(fmt::format("the timer {} cannot tell the time of a batch of {} operations",
                                           timer.name(), batches.operations_per_batch));
    const double cpu_now = process_cpu_seconds();
    batches.seconds_per_operation.push_back(batch.seconds / operations);
    batches.cpu_seconds_per_operation.push_back((cpu_now - cpu_before) / operations);
    batches.sm_clock_hz.push_back(batch.sm_clock_hz);
    has_sm_clock = has_sm_clock || batch.sm_clock_hz > 0;
    cpu_before = cpu_now;
    ++count;
    batches.window_seconds = now() - start;
    if (has_ended(window, batches.window_seconds, count)) break;
  }
  batches.window_seconds = rounded(batches.window_seconds);
  batches.cpu_seconds = rounded(cpu_before - cpu_start);
  for (double& value : batches.seconds_per_operation) value = rounded(value);
  for (double& value : batches.cpu_seconds_per_operation) value = rounded(value);
  for (double& value : batches.sm_clock_hz) value = rounded(value);
  if (!has_sm_clock) batches.sm_clock_hz.clear();
  return batches;
}

}  // namespace gpugauge::bench
