// Whether two streams that do not overlap are a fault. Pure.
#pragma once

#include "result/samples.hpp"

namespace gpugauge::bench::launch {

/// Seconds of two kernels on two streams over those of one: where they overlap it is nearer to 1, where one
/// waits for the other nearer to 2. More than this fails.
inline constexpr double most_two_over_one = 1.5;

/// What the ratio is held against. Where nothing can overlap, or nobody promises that it does, it is recorded
/// and not judged, and the note says why.
/// @param synchronous launches wait for their kernels
/// @param windows the GPU is driven by Windows, behind WSL's /dev/dxg
inline void hold_overlap(result::Metric& metric, bool synchronous, bool windows) {
  metric.note = "1 where the two streams overlap, 2 where one waits for the other";
  if (synchronous) {
    metric.judged = false;
    metric.note = "launches wait for their kernels here, so that nothing can overlap";
  } else if (windows) {
    metric.judged = false;
    metric.note =
        "this is WSL: Windows schedules the GPU, and may run the work of two streams one after the other";
  } else {
    metric.limit = result::Limit{.value = 1,
                                 .source = "two kernels at once last as long as one",
                                 .saturating = true,
                                 .floor = 1 / most_two_over_one};
  }
}

}  // namespace gpugauge::bench::launch
