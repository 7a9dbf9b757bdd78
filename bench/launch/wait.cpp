#include "kernels/support/sm_clock.hpp"
#include "launch/counted.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

// Long enough that a waiting thread is surely asleep before the kernel ends.
constexpr double kernel_seconds = 100e-6;

// A wait that returned early would look fast, so the kernel's word must be there afterwards.
void verify_waits(Trial& trial, const cuda::Stream& stream, const cuda::Event& event) {
  const cuda::PinnedBuffer<unsigned long long> counter(1);
  constexpr unsigned long long rounds = 20;
  unsigned long long early = 0;
  for (unsigned long long round = 1; round <= rounds; ++round) {
    cuda::check(kernels::launch_spin(200'000, stream.get()), "launching a spinning kernel");
    cuda::check(kernels::launch::launch_counting(counter.on_device(), stream.get()),
                "launching a counting kernel");
    event.record(stream.get());
    cuda::check(cudaEventSynchronize(event.get()), "waiting for an event");
    if (*static_cast<volatile unsigned long long*>(counter.get()) != round) ++early;
  }
  trial.verify("waits that returned before the work ahead had ended", static_cast<double>(early), 0);
}

void wait(Trial& trial) {
  const bool blocking = trial.parameter("by") == "blocking";
  const cuda::Stream stream;
  const cuda::Event event((blocking ? cudaEventBlockingSync : cudaEventDefault) | cudaEventDisableTiming);
  cuda::OperationTimer timer(
      [&] {
        cuda::check(kernels::launch_spin(static_cast<std::uint64_t>(kernel_seconds * 1e9), stream.get()),
                    "launching a spinning kernel");
        event.record(stream.get());
        cuda::check(cudaEventSynchronize(event.get()), "waiting for an event");
      },
      [&] { stream.synchronize(); }, 0, kernel_seconds);
  timer.watch_clock(cuda::spin_of_gpu());
  trial.time(timer);
  timer.add_metrics(trial, "sync", true);
  verify_waits(trial, stream, event);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Time beside a kernel of 100 us, by the GPU's own counter, from its launch until the host has "
            "noticed its end by an event: spinning, and blocked in the kernel until an interrupt wakes it")
        .bad_value("blocking: deep processor sleep states, a busy host, lost or moderated interrupts, "
                   "virtualisation; spinning: as completion")
        .axis("by", {"spinning", "blocking"})
        .from(Depth::deep)
        .batch_seconds(3e-4)  // of the remaining time; an operation lasts 100 us longer
        .quantity(Quantity::latency, "sync")
        .statistics({Statistic::median})  // a window's mean would hold the kernel; operation_mean does not
        .requires_gpu()
        .body(wait)};

}  // namespace
}  // namespace gpugauge::bench::launch
