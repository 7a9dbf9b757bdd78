#include <cmath>

#include "kernels/support/sm_clock.hpp"
#include "launch/bracket.hpp"
#include "launch/counted.hpp"
#include "support/cuda/blocker.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

// A kernel of one millisecond between two timing events must show as one millisecond. The tolerance is 0.5%
// for the events' resolution and the kernel's own start, and as much again for the clocks' steps. The stream is held
// while all three are enqueued: on an idle one the GPU stamps the first event before the host has sent the kernel, and
// that the host takes long to send it is no fault of the GPU's. Where launches wait for earlier work nothing can be
// held, and only less than a millisecond is wrong.
void verify_brackets(Trial& trial, const cuda::Stream& stream) {
  constexpr double seconds = 1e-3;
  const cuda::Event start;
  const cuda::Event stop;
  cuda::check(kernels::launch_spin(1000, stream.get()), "launching a spinning kernel");  // loads the kernel
  stream.synchronize();
  const auto enqueue = [&] {
    start.record(stream.get());
    cuda::check(kernels::launch_spin(static_cast<std::uint64_t>(seconds * 1e9), stream.get()),
                "launching a spinning kernel");
    stop.record(stream.get());
  };
  const bool waits = cuda::queue().synchronous;
  cuda::Blocker blocker;
  double error = 1;
  for (int attempt = 0; attempt < 20; ++attempt) {  // the host may not release in time: best of a few
    if (waits) {
      enqueue();
    } else {
      const cuda::Blocker::Hold hold = blocker.hold(stream.get(), 0.05);
      enqueue();
    }
    stream.synchronize();
    error = std::fmin(error, bracket_error(cuda::seconds_between(start, stop), seconds, waits));
  }
  trial.verify(waits
                   ? "events around a kernel of 1 ms by the GPU's real-time counter: how much less they show"
                   : "events around a kernel of 1 ms by the GPU's real-time counter: relative error",
               error, 0.02);
}

// An event after a held kernel must not have happened, and must happen once the kernel is released.
void verify_order(Trial& trial, const cuda::Stream& stream, const cuda::Event& event) {
  cuda::Blocker blocker;
  bool early = false;
  {
    const cuda::Blocker::Hold hold = blocker.hold(stream.get(), 0.05);
    event.record(stream.get());
    early = cudaEventQuery(event.get()) == cudaSuccess && !blocker.timed_out();
  }
  cuda::check(cudaEventSynchronize(event.get()), "waiting for an event");
  trial.verify("an event behind a held kernel happens when it is let go, and not before",
               !early && cudaEventQuery(event.get()) == cudaSuccess);
}

void event_record(Trial& trial) {
  const bool timing = trial.parameter("event") == "timing";
  const cuda::Stream stream;
  const cuda::Event event(timing ? cudaEventDefault : cudaEventDisableTiming);
  cuda::OperationTimer timer([&] { event.record(stream.get()); }, [&] { stream.synchronize(); },
                             burst(cuda::queue().depth));
  timer.watch_clock(cuda::spin_of_gpu());
  trial.time(timer);
  timer.add_metrics(trial, "sync", false);
  if (timing) {
    verify_brackets(trial, stream);
    return;
  }
  verify_order(trial, stream, event);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Processor time to record an event in a stream whose queue is not full, with and without a "
                  "time stamp")
        .bad_value("an attached tool, a slow or throttled processor, a driver regression")
        .axis("event", {"timing", "no_timing"})
        .from(Depth::deep)
        .quantity(Quantity::latency, "sync")
        .statistics({Statistic::median})
        .requires_gpu()
        .body(event_record)};

}  // namespace
}  // namespace gpugauge::bench::launch
