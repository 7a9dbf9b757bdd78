#include "kernels/support/sm_clock.hpp"
#include "launch/counted.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

// A synchronisation that returns early would look fast, so work that takes a millisecond must be visible
// afterwards.
void verify_waits(Trial& trial, const cuda::Stream& stream) {
  const cuda::PinnedBuffer<unsigned long long> counter(1);
  cuda::check(kernels::launch_spin(1'000'000, stream.get()), "launching a spinning kernel");
  cuda::check(kernels::launch::launch_counting(counter.on_device(), stream.get()),
              "launching a counting kernel");
  stream.synchronize();
  trial.verify("work enqueued before a synchronisation has ended after it",
               *static_cast<volatile unsigned long long*>(counter.get()) == 1);
}

// For a stream that never had work, the time seemed to depend on what the process measured just before. In
// twelve processes on one H100 and two H200s (baselines) it took 0.26 to 0.38 us after four benchmarks of
// this family, 0.54 to 0.55 after two and 1.46 to 1.95 after two. So each batch finds a stream whose own work
// has ended. Whether that removes the effect was not measured.
void stream_sync(Trial& trial) {
  const cuda::Stream stream;
  const cuda::DeviceValue<unsigned long long> counter;
  const auto work = [&] {
    cuda::check(kernels::launch::launch_counting(counter.get(), stream.get()), "launching a counting kernel");
    stream.synchronize();
  };
  cuda::OperationTimer timer([&] { stream.synchronize(); }, work, 0);
  timer.watch_clock(cuda::spin_of_gpu());
  trial.time(timer);
  timer.add_metrics(trial, "sync", false);
  verify_waits(trial, stream);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Synchronising a stream whose work has ended, spinning: the driver's path without any waiting")
        .bad_value("an attached tool, a slow or throttled processor, a driver regression")
        .from(Depth::quick)
        .quantity(Quantity::latency, "sync")
        .statistics({Statistic::median, Statistic::mean})
        .requires_gpu()
        .body(stream_sync)};

}  // namespace
}  // namespace gpugauge::bench::launch
