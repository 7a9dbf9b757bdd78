// How fast the processor ran beside what its time bounds: what is left when the processor's part is taken out
// of a launch that got slower. Launching is to the processor what per_clock.hpp is to the SMs.
#pragma once

#include <optional>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// What one reading of the clock took (result::clock_reading), in seconds, as medians over processes.
struct Pace {
  double before = 0;  ///< above 0
  double now = 0;     ///< above 0

  double slower() const { return now / before; }  ///< 1.2: the processor took a fifth longer
};

/// From here on a reading takes so much longer that it is another way of reading the clock (a clock source
/// that needs a system call) and tells nothing of the processor. Seen between readings on three
/// machines: 1.6 at most (docs/verdicts.md).
inline constexpr double other_way_of_reading = 3;

/// Of all benchmarks together that record it in sound results of both sides, the median of either; nullopt
/// where there is none, or where it is other_way_of_reading.
std::optional<Pace> pace(const std::vector<result::Run>& before, const std::vector<result::Run>& now);

/// Adds to the reason of a verdict against the other side that says that a time got worse how the processor's
/// pace moved: by a third of that or more, so that it is the processor that was slower, or by less, so that
/// it is not. To one that is inconclusive or spreads, where the pace moved by 5% or more. To that of a
/// class's mean by the readings of the whole class.
void tell_pace(const std::vector<result::Run>& before, const std::vector<result::Run>& now,
               std::vector<Verdict>& verdicts);

}  // namespace gpugauge::judge
