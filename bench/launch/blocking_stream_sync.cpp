#include <array>
#include <string>
#include <utility>
#include <vector>

#include "kernels/support/sm_clock.hpp"
#include "launch/counted.hpp"
#include "launch/fit_metrics.hpp"
#include "support/cuda/fresh_on_gpu.hpp"
#include "support/cuda/operation_timer.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::launch {
namespace {

/// A way of waiting: the benchmark and its own process have one name.
struct Wait {
  const char* name;
  unsigned flag;  ///< how the context is asked to wait
};
constexpr Wait blocking{"blocking_stream_sync", cudaDeviceScheduleBlockingSync};
constexpr Wait spinning{"spinning_stream_sync", cudaDeviceScheduleSpin};

// Long enough that a waiting thread is surely asleep before the kernel ends.
constexpr double kernel_seconds = 100e-6;
constexpr std::int64_t operations = 1000;
constexpr std::array quantiles{std::pair{"p50", 0.50}, std::pair{"p90", 0.90}, std::pair{"p99", 0.99}};

// A wait that returned early would look fast, so the kernel's word must be there afterwards.
double early_waits(const cuda::Stream& stream) {
  const cuda::PinnedBuffer<unsigned long long> counter(1);
  constexpr unsigned long long rounds = 20;
  double early = 0;
  for (unsigned long long round = 1; round <= rounds; ++round) {
    cuda::check(kernels::launch_spin(200'000, stream.get()), "launching a spinning kernel");
    cuda::check(kernels::launch::launch_counting(counter.on_device(), stream.get()),
                "launching a counting kernel");
    stream.synchronize();
    early += *static_cast<volatile unsigned long long*>(counter.get()) == round ? 0 : 1;
  }
  return early;
}

// How a context waits is fixed when it is made, so this needs its own process.
Report wait_by(const Wait& way) {
  cuda::check(cudaInitDevice(0, way.flag, cudaInitDeviceFlagsAreValid),
              "making a context that waits this way");
  cuda::check(cudaSetDevice(0), "choosing the GPU");
  unsigned flags = 0;
  cuda::check(cudaGetDeviceFlags(&flags), "reading how the context waits");
  const cuda::Stream stream;
  cuda::OperationTimer timer(
      [&] {
        cuda::check(kernels::launch_spin(static_cast<std::uint64_t>(kernel_seconds * 1e9), stream.get()),
                    "launching a spinning kernel");
        stream.synchronize();
      },
      [&] { stream.synchronize(); }, 0, kernel_seconds);
  timer.warm_up();
  Report report{{"mean", timer.time_batch(operations).seconds / static_cast<double>(operations)},
                {"cpu", timer.cpu_per_operation()},
                {"early", early_waits(stream)},
                {"as_asked", (flags & cudaDeviceScheduleMask) == way.flag ? 1 : 0}};
  const std::vector<double> seconds(timer.seconds().begin(), timer.seconds().end());
  for (const auto& [name, quantile] : quantiles) report[name] = nearest_rank(seconds, quantile);
  return report;
}

const Child blocking_child{blocking.name, [] { return wait_by(blocking); }};
const Child spinning_child{spinning.name, [] { return wait_by(spinning); }};

void stream_sync_by(Trial& trial, const Wait& way) {
  const Report report = cuda::run_fresh_on_gpu(trial, own_child(way.name)).report;
  const auto add = [&](const std::string& metric, const std::string& statistic, const std::string& name) {
    result::Metric made = seconds_metric(metric, "sync", statistic, report.at(name));
    made.resolution = rounded(steady_resolution_seconds());
    trial.metric(std::move(made));
  };
  add("operation_mean", "mean", "mean");
  for (const auto& [name, quantile] : quantiles) add(std::string("operation_") + name, name, name);
  add("cpu_per_operation", "mean", "cpu");
  trial.note("timer", "steady_clock");
  trial.note("subtracted_seconds", "0.0001");
  trial.note("operations_timed", std::to_string(operations));
  trial.verify("the context waits as it was asked to", report.at("as_asked") == 1);
  trial.verify("waits that returned before the work ahead had ended", report.at("early"), 0);
}

Definition waiting(const Wait& way) {
  return define(GPUGAUGE_BENCH_FAMILY, way.name)
      .window_share(4)  // its own process takes most of a second
      .custom_metrics({"sync"})
      .requires_gpu()
      .body([&way](Trial& trial) { stream_sync_by(trial, way); });
}

const Registration by_blocking{
    waiting(blocking)
        .isolates("Time beside a kernel of 100 us, by the GPU's own counter, from its launch until "
                  "cudaStreamSynchronize has returned in a process whose context waits by blocking "
                  "(cudaDeviceScheduleBlockingSync): asleep until an interrupt wakes the thread")
        .bad_value("deep processor sleep states, a busy host, lost or moderated interrupts, virtualisation; "
                   "where launch/wait/blocking is as it was: this way of waiting alone, a driver regression")
        .from(Depth::deep)};

const Registration by_spinning{
    waiting(spinning)
        .isolates(
            "The twin of blocking_stream_sync, in a process whose context waits by spinning "
            "(cudaDeviceScheduleSpin): the thread reads the GPU's word over and over. What blocking takes longer "
            "is falling asleep and waking")
        .bad_value(
            "as completion; where launch/wait/spinning is as it was: this way of waiting alone, a driver "
            "regression")
        .from(Depth::exhaustive)};

}  // namespace
}  // namespace gpugauge::bench::launch
