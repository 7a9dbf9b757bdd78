// How fast the processor ran beside a time that got worse: what per_clock.hpp is to the SMs, to launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// What one reading of the clock took (result::clock_reading) beside one benchmark, in all processes of two
/// sides; in seconds, above 0.
struct Pace {
  double before = 0;  ///< median
  double now = 0;     ///< median
  double least =
      0;  ///< quickest reading of now over slowest one of before: what the sides differ by at least
};

/// Adds to the reason of a time that is shown to be worse than on the other side what reading the clock took
/// beside it on both. Where the quickest reading of now took longer than the slowest one of before, by two
/// thirds of the loss or more on a logarithmic scale, the processor itself was slower, and that is said. Only
/// of the middle and the mean of what is timed: what slows one operation in a hundred leaves a median reading
/// as it is. Nothing is said where either side has fewer than three readings, another clock source, or
/// another kernel: then a reading is other code.
void tell_pace(const std::vector<result::Run>& before, const std::vector<result::Run>& now,
               std::vector<Verdict>& verdicts);

/// Of the verdicts of which tell_pace says that the processor itself was slower, and which count, the pace
/// beside the one that lost most; nullopt where there is none.
std::optional<Pace> slower_processor(const std::vector<result::Run>& before,
                                     const std::vector<result::Run>& now,
                                     const std::vector<Verdict>& verdicts);

}  // namespace gpugauge::judge
