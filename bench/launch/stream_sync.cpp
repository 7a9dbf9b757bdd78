#include "kernels/support/sm_clock.hpp"
#include "launch/counted.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

// A synchronisation that returns too early would look fast: work that takes a millisecond must be seen
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

void stream_sync(Trial& trial) {
  const cuda::Stream stream;
  cuda::OperationTimer timer([&] { stream.synchronize(); }, [&] { stream.synchronize(); }, 0);
  trial.time(timer);
  timer.add_metrics(trial, "sync", false);
  verify_waits(trial, stream);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Synchronising a stream that has nothing to do, spinning: the driver's path without any waiting")
        .bad_value("an attached tool, a slow or throttled processor, a driver regression")
        .from(Depth::quick)
        .quantity(Quantity::latency, "sync")
        .statistics({Statistic::median, Statistic::mean})
        .requires_gpu()
        .body(stream_sync)};

}  // namespace
}  // namespace gpugauge::bench::launch
