// Warming up: a load runs until it is steady. Independent of CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/definition.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench {

/// How long a load is warmed up.
struct WarmUp {
  double longest = 0.1;           ///< longest duration in seconds, steady or not
  double shortest = 0.02;         ///< least duration in seconds
  double reading_seconds = 5e-3;  ///< duration of a reading; three in a row are compared
  bool throughput = false;        ///< compares the throughput too, not only the SM clock
  /// Warming up continues past `longest`, up to this many seconds, while the last two throughputs differ by
  /// more than 3%. 0 = never.
  double longest_unsettled = 0;
};

/// True for work that device memory bounds: its first class is hbm or fft, it is a primitive that is measured
/// by bytes, or its definition says so (memory_bound). Others of class primitive compute from registers.
bool is_bound_by_memory(const Instance& instance);

/// longest_unsettled for memory-bound work. `idle_seconds` is the time since such work last ended, infinity
/// if this process ran none. The memory clock of GPUs with GDDR (405 MHz when idle) rises separately, and the
/// SM clock does not show it. This costs no time where throughput is flat.
constexpr double memory_settles_seconds(double idle_seconds) {
  constexpr double lasts_seconds = 3;
  return idle_seconds < lasts_seconds ? 0 : 0.5;
}

/// Warm-up for work that draws much power. A GPU starts it at its highest clock, and lowers the clock only
/// after its power has exceeded the limit for a while. A reading of some milliseconds would see a clock that
/// does not last.
inline constexpr WarmUp power_warm_up{
    .longest = 1, .shortest = 0.3, .reading_seconds = 0.1, .throughput = true};

/// Warm-up for such work shortly after the power limit acted. On an H100 at its limit the clock then swings
/// by some percent, and the longer warm-up found it flat in only half of all cases.
inline constexpr WarmUp power_warm_up_again{
    .longest = 0.5, .shortest = 0.2, .reading_seconds = 0.06, .throughput = true};

/// The warm-up for work that draws much power. `idle_seconds`: time since the power limit acted, infinity
/// where that was not seen.
constexpr const WarmUp& power_warm_up_after(double idle_seconds) {
  constexpr double lasts_seconds = 3;
  return idle_seconds < lasts_seconds ? power_warm_up_again : power_warm_up;
}

/// The outcome of a warm-up.
struct Warmed {
  double seconds = 0;   ///< wall time that it took
  bool steady = false;  ///< false: it reached its longest time, or was interrupted
  bool settled = true;  ///< false: ended by longest_unsettled with throughput not flat
};

/// One reading of the load; 0 = unknown.
struct Reading {
  double operations_per_second = 0;  ///< rate of the operations alone
  double sm_clock_hz = 0;            ///< mean over the reading
};

/// The state of a warm-up.
enum class Warming {
  goes_on,
  ends_steady,     ///< all compared values are flat
  ends_unsteady,   ///< the longest time has passed
  ends_unsettled,  ///< longest_unsettled has passed, and throughput still moves
};

/// The state of a warm-up after `seconds` with these `readings`, in order of time.
Warming warming(const WarmUp& how, double seconds, const std::vector<Reading>& readings);

/// Repeats `run(n)`, which does n operations, until three readings in a row are steady. Steady: SM clocks
/// within 0.5% of each other and, where asked for, throughputs within 1%. Where no clock is known,
/// throughputs alone decide. With longest_unsettled, the last two throughputs must also lie within 3%.
/// Operations too short for a reading are run several at a time. `now` reads wall time in seconds.
Warmed warm_until_steady(const WarmUp& how, const std::function<BatchTime(std::int64_t)>& run,
                         const std::function<double()>& now = steady_seconds);

}  // namespace gpugauge::bench
