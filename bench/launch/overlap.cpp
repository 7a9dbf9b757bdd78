#include <algorithm>
#include <vector>

#include "kernels/support/sm_clock.hpp"
#include "support/cuda/blocker.hpp"
#include "support/cuda/environment.hpp"
#include "support/cuda/resources.hpp"
#include "support/statistics.hpp"
#include "support/timer.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::launch {
namespace {

constexpr std::uint64_t nanoseconds = 500'000;
constexpr int repeats = 21;
/// Streams that overlap are nearer to 1, streams that wait for each other nearer to 2.
constexpr double most = 1.5;

/// Wall seconds of one spinning kernel on each of the streams, until all have ended.
double seconds_of(const std::vector<const cuda::Stream*>& streams) {
  const double start = steady_seconds();
  for (const cuda::Stream* stream : streams)
    cuda::check(kernels::launch_spin(nanoseconds, stream->get()), "launching a spinning kernel");
  for (const cuda::Stream* stream : streams) stream->synchronize();
  return steady_seconds() - start;
}

double median_of(const std::vector<const cuda::Stream*>& streams) {
  std::vector<double> seconds;
  seconds.reserve(repeats);
  for (int i = 0; i < repeats; ++i) seconds.push_back(seconds_of(streams));
  return median(std::move(seconds));
}

// A probe: a kernel of half a millisecond alone, and two of them on two streams.
void overlap(Trial& trial) {
  const cuda::Stream first;
  const cuda::Stream second;
  seconds_of({&first, &second});  // loads the kernel
  const double one = median_of({&first});
  const double both = median_of({&first, &second});
  result::Metric metric;
  metric.name = "two_over_one";
  metric.unit = "1";
  metric.better = result::Direction::lower;
  metric.metric_class = "launch";
  metric.statistic = "ratio";
  metric.value = rounded(both / one);
  metric.note = "1 where the two streams overlap, 2 where one waits for the other";
  const bool synchronous = cuda::queue().synchronous;
  trial.note("synchronous_launch", synchronous ? "true" : "false");
  if (synchronous) {
    metric.judged = false;
    metric.note = "launches wait for their kernels here, so that nothing can overlap";
  } else {
    metric.limit = result::Limit{.value = 1,
                                 .source = "two kernels at once last as long as one",
                                 .saturating = true,
                                 .floor = 1 / most};
  }
  trial.metric(std::move(metric));
  trial.note("streams_overlap", both < most * one ? "true" : "false");
  trial.verify("a spinning kernel lasts as long as it should: share that is missing",
               std::max(0.0, 1 - one / (static_cast<double>(nanoseconds) * 1e-9)), 0.01);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Two kernels of half a millisecond on two streams, over one of them alone: whether independent "
            "work on two streams runs at the same time at all. More than one and a half fails, unless "
            "launches are synchronous, "
            "which is then said")
        .bad_value("CUDA_LAUNCH_BLOCKING, an attached profiler, debugger or sanitizer")
        .from(Depth::standard)
        .custom_metrics({"launch"})
        .requires_gpu()
        .body(overlap)};

}  // namespace
}  // namespace gpugauge::bench::launch
