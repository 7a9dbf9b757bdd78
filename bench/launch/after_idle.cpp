#include <chrono>
#include <thread>

#include "launch/counted.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

constexpr std::chrono::milliseconds gap{200};

void after_idle(Trial& trial) {
  const cuda::Stream stream;
  cuda::OperationTimer timer(
      [&] {
        cuda::check(kernels::launch::launch_empty(stream.get()), "launching an empty kernel");
        stream.synchronize();
      },
      [&] {
        stream.synchronize();
        std::this_thread::sleep_for(gap);
      },
      1);
  trial.note("idle_seconds", "0.2");
  timer.watch_clock(cuda::spin_of_gpu());
  trial.time(timer);
  timer.add_metrics(trial, "launch", false, cuda::OperationTimer::SlowEnd::maximum);
  verify_launches(trial, stream.get());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Time from launching an empty kernel until the host sees that it ended, after 200 ms in which "
            "neither had anything to do: what clocks, links and processors that went to sleep add to "
            "completion")
        .bad_value(
            "a power-saving governor or deep processor sleep states, link power management, locked low "
            "clocks")
        .from(Depth::deep)
        .window_share(21)  // 20 operations and a gap of 200 ms before each
        .quantity(Quantity::latency, "launch")
        .statistics({Statistic::median})
        .requires_gpu()
        .body(after_idle)};

}  // namespace
}  // namespace gpugauge::bench::launch
