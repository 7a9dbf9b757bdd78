#include "launch/counted.hpp"
#include "support/cuda/blocker.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

void enqueue(Trial& trial) {
  const cuda::Stream stream;
  cuda::OperationTimer timer(
      [&] { cuda::check(kernels::launch::launch_empty(stream.get()), "launching an empty kernel"); },
      [&] { stream.synchronize(); }, burst(cuda::queue().depth));
  trial.note("synchronous_launch", cuda::queue().synchronous ? "true" : "false");
  trial.time(timer);
  timer.add_metrics(trial, "launch", true);
  verify_launches(trial, stream.get());
}

const Registration registered{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                                  .isolates("Processor time to put an empty kernel into a stream whose queue "
                                            "is not full, by the runtime API: the "
                                            "driver's submission path on one core")
                                  .bad_value("CUDA_LAUNCH_BLOCKING, an attached profiler or debugger, a slow "
                                             "or throttled processor, a power-saving "
                                             "governor, a driver regression")
                                  .quantity(Quantity::latency, "launch")
                                  .statistics({Statistic::median})
                                  .requires_gpu()
                                  .body(enqueue)};

}  // namespace
}  // namespace gpugauge::bench::launch
