#include "launch/counted.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

void completion(Trial& trial) {
  const cuda::Stream stream;
  cuda::OperationTimer timer(
      [&] {
        cuda::check(kernels::launch::launch_empty(stream.get()), "launching an empty kernel");
        stream.synchronize();
      },
      [&] { stream.synchronize(); }, 0);
  timer.watch_clock(cuda::spin_of_gpu());
  trial.time(timer);
  timer.add_metrics(trial, "launch", false);
  verify_launches(trial, stream.get());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Time from launching an empty kernel on an idle stream until the host, spinning, sees that "
                  "it ended: "
                  "submission, the way over the link and back, and the notification")
        .bad_value("a slow or throttled processor, a power-saving governor, a link in a low-power state or "
                   "reached across "
                   "sockets, virtualisation")
        .quantity(Quantity::latency, "launch")
        .statistics({Statistic::median, Statistic::mean})
        .requires_gpu()
        .body(completion)};

}  // namespace
}  // namespace gpugauge::bench::launch
