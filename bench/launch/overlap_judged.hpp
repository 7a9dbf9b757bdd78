// Decides whether two streams that do not overlap are a fault. Pure.
#pragma once

#include "result/samples.hpp"

namespace gpugauge::bench::launch {

/// Time of two kernels on two streams over the time of one. Where they overlap it is near 1; where one waits
/// for the other it is near 2. A larger ratio than this fails.
inline constexpr double most_two_over_one = 1.5;

/// Sets the limit of the ratio. Where overlap is impossible or not promised, the ratio is recorded and not
/// judged, and the note says why.
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
