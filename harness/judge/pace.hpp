// Judges the processor's speed beside a latency that regressed: for launches what per_clock.hpp is for SMs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// How long one clock read (result::clock_reading) took beside one benchmark, over all processes of two
/// sides; in seconds, above 0.
struct Pace {
  double before = 0;  ///< median
  double now = 0;     ///< median
  double least = 0;   ///< quickest read now / slowest read before: the least ratio between the sides
};

/// When a latency regressed, appends to its reason how long a clock read took on each side. The reason names
/// the processor as slower if the quickest read now exceeds the slowest one before by at least two thirds of
/// the loss (logarithmic scale). Applies only to medians and means of times: a slowdown of one operation in a
/// hundred does not change the median read. Adds nothing where a side has fewer than three reads, or the
/// clock source or kernel differs, because a read is then other code.
void tell_pace(const std::vector<result::Run>& before, const std::vector<result::Run>& now,
               std::vector<Verdict>& verdicts);

/// Returns the pace beside the largest counted regression that tell_pace attributes to a slower processor;
/// nullopt if there is none.
std::optional<Pace> slower_processor(const std::vector<result::Run>& before,
                                     const std::vector<result::Run>& now,
                                     const std::vector<Verdict>& verdicts);

}  // namespace gpugauge::judge
