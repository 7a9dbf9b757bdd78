#include "kernels/launch/programmatic.hpp"

#include "support/cuda/gpu_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

// Each kernel must see the number that the preceding one left.
void verify_chain(Trial& trial, bool programmatic, cudaStream_t stream) {
  constexpr unsigned long long links = 1000;
  const cuda::DeviceValue<unsigned long long> counter;
  const cuda::DeviceValue<unsigned long long> wrong;
  for (unsigned long long i = 0; i < links; ++i)
    cuda::check(kernels::launch::launch_counting_link(programmatic, i, counter.get(), wrong.get(), stream),
                "launching a kernel of a chain");
  trial.verify("kernels that did not see what the one ahead wrote", static_cast<double>(wrong.read(stream)),
               0);
  trial.verify("the chain's last number", counter.read(stream) == links);
}

void programmatic(Trial& trial) {
  const bool early = trial.parameter("order") == "programmatic";
  if (early) cuda::check(kernels::launch::links_can_begin_early(), "whether kernels can begin early");
  cuda::GpuTimer timer(trial, [early](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::launch::launch_link(early, stream), "launching a kernel of a chain");
  });
  trial.time(timer);
  verify_chain(trial, early, timer.stream());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "GPU time from one short kernel to the next that depends on it, ordered by the stream, and by "
            "programmatic dependent launch, where the next one is started while the one ahead still runs "
            "and waits inside; p90 and p99 are those of means over batches of half a millisecond")
        .bad_value("equal times of both: early starts are lost to a tool or a driver; else as back_to_back")
        .axis("order", {"stream", "programmatic"})
        .from(Depth::deep)
        .quantity(Quantity::latency, "launch")
        .statistics({Statistic::median, Statistic::p90, Statistic::p99})
        .batch_seconds(5e-4)  // short, so that the shortest window holds enough of them for a p99
        .requires_gpu(90)
        .body(programmatic)};

}  // namespace
}  // namespace gpugauge::bench::launch
