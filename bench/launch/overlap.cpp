#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "kernels/support/sm_clock.hpp"
#include "launch/overlap_judged.hpp"
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

// A probe: a kernel of 0.5 ms alone, and two of them on two streams.
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
  const bool synchronous = cuda::queue().synchronous;
  trial.note("synchronous_launch", synchronous ? "true" : "false");
  std::error_code unreadable;
  hold_overlap(metric, synchronous, std::filesystem::exists("/dev/dxg", unreadable));
  trial.metric(std::move(metric));
  trial.note("streams_overlap", both < most_two_over_one * one ? "true" : "false");
  trial.verify("a spinning kernel lasts as long as it should: share that is missing",
               std::max(0.0, 1 - one / (static_cast<double>(nanoseconds) * 1e-9)), 0.01);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Two kernels of half a millisecond on two streams, over one of them alone: whether independent "
            "work on two streams runs at the same time at all. More than one and a half fails. Where "
            "launches are synchronous, and on WSL, where Windows may run one stream after the other, that "
            "is said and nothing fails")
        .bad_value("CUDA_LAUNCH_BLOCKING, an attached profiler, debugger or sanitizer")
        .from(Depth::standard)
        .custom_metrics({"launch"})
        .requires_gpu()
        .body(overlap)};

}  // namespace
}  // namespace gpugauge::bench::launch
