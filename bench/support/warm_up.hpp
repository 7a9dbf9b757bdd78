// Warming up: a load runs until it is steady. Knows nothing of CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/timer.hpp"

namespace gpugauge::bench {

/// How long a load is warmed up.
struct WarmUp {
  double longest = 0.1;           ///< seconds after which it ends, steady or not
  double shortest = 0.02;         ///< seconds that it takes at least
  double reading_seconds = 5e-3;  ///< of a reading; three in a row are compared
  bool throughput = false;        ///< compares the throughput, too, and not the SM clock alone
  /// Seconds up to which it goes on past `longest` while the last two throughputs differ by more than 3%;
  /// 0 = it does not.
  double longest_unsettled = 0;
};

/// longest_unsettled of work that is bound by the memory, where such work ended this many seconds ago
/// (infinity: none was in this process): the memory clock of GPUs with GDDR (405 MHz when idle) rises by
/// itself, and the SM clock says nothing of it. Where throughput is flat it takes nothing.
constexpr double memory_settles_seconds(double idle_seconds) {
  constexpr double lasts_seconds = 3;
  return idle_seconds < lasts_seconds ? 0 : 0.5;
}

/// For work that draws much power: a GPU starts it at its highest clock and takes that back only when its
/// power has been above the limit for a while, so that a glance of some milliseconds sees a clock that does
/// not last.
inline constexpr WarmUp power_warm_up{
    .longest = 1, .shortest = 0.3, .reading_seconds = 0.1, .throughput = true};

/// The same where the power limit acted just before: on an H100 at its limit the clock goes on swinging by
/// some percent, and the longer warm-up saw it flat in half of all cases.
inline constexpr WarmUp power_warm_up_again{
    .longest = 0.5, .shortest = 0.2, .reading_seconds = 0.06, .throughput = true};

/// The one of work that draws much power on a GPU whose power limit acted this many seconds ago, infinity
/// where it was not seen to.
constexpr const WarmUp& power_warm_up_after(double idle_seconds) {
  constexpr double lasts_seconds = 3;
  return idle_seconds < lasts_seconds ? power_warm_up_again : power_warm_up;
}

/// How warming up ended.
struct Warmed {
  double seconds = 0;   ///< wall time that it took
  bool steady = false;  ///< false: it ended because it had taken the longest time, or was interrupted
  bool settled = true;  ///< false: that was longest_unsettled, and throughput was not flat
};

/// What was seen of the load in one reading; 0 = unknown.
struct Reading {
  double operations_per_second = 0;  ///< of the operations alone
  double sm_clock_hz = 0;            ///< mean over the reading
};

/// Where a warm-up stands.
enum class Warming {
  goes_on,
  ends_steady,     ///< all that is asked for is flat
  ends_unsteady,   ///< it has taken the longest time
  ends_unsettled,  ///< it has taken longest_unsettled, and throughput still moves
};

/// Where a warm-up stands that has taken `seconds` and seen `readings`, the last one last.
Warming warming(const WarmUp& how, double seconds, const std::vector<Reading>& readings);

/// Lets `run(n)` do n operations again and again until three readings in a row are steady: SM clocks within
/// half a percent of each other, and where it is asked for, throughputs within one percent (where no clock is
/// known, they alone). With longest_unsettled the last two throughputs must lie within 3%, too. Operations
/// that are too short for a reading are done more at a time. `now` reads wall time in seconds.
Warmed warm_until_steady(const WarmUp& how, const std::function<BatchTime(std::int64_t)>& run,
                         const std::function<double()>& now = steady_seconds);

}  // namespace gpugauge::bench
