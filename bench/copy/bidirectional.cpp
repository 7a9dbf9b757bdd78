#include "copy/transfer.hpp"
#include "support/cuda/room.hpp"

namespace gpugauge::bench::copy {
namespace {

void bidirectional(Trial& trial) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  cuda::require_room(trial, 2 * bytes);
  using Pinned = Pair<cuda::PinnedBuffer<float>>;
  Pinned in(trial, bytes, Direction::to_device);
  Pinned out(trial, bytes, Direction::to_host);
  const cuda::Stream other;
  const cuda::Event fork(cudaEventDisableTiming);
  const cuda::Event join(cudaEventDisableTiming);
  // Both directions start together, and the next pair starts when both have ended.
  cuda::GpuTimer timer(
      trial,
      [&](cudaStream_t stream, std::int64_t) {
        fork.record(stream);
        cuda::check(cudaStreamWaitEvent(other.get(), fork.get(), 0), "waiting for the start");
        out.enqueue(other.get());
        in.enqueue(stream);
        join.record(other.get());
        cuda::check(cudaStreamWaitEvent(stream, join.get(), 0), "waiting for the other direction");
      },
      {.launches_per_operation = 4});
  AtMost batches(timer, most_copies(bytes));
  trial.work({.bytes = 2.0 * static_cast<double>(bytes)});
  trial.note("link_directions", "2");
  trial.time(batches);
  const auto compare = [&](const std::string& method) {
    in.verify(trial, method + ", on the device");
    out.verify(trial, method + ", on the host");
  };
  compare(as_timed);
  in.poison_target();
  out.poison_target();
  timer.enqueue_one();
  compare(once_more);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("pinned")
        .isolates("Copying page-locked memory in both directions at once by two copy engines; the bytes of "
                  "both count. "
                  "PCIe has lanes for each direction: a healthy link nearly doubles")
        .bad_value(
            "one copy engine for both directions, a switch or root complex that is shared, host memory that "
            "cannot feed both, an IOMMU that translates")
        .axis("size", {"64MiB", "256MiB", "1GiB"})
        .quantity(Quantity::bandwidth, "h2d")
        .batch_seconds(20e-3)
        .requires_gpu()
        .from(Depth::deep)
        .from(Depth::standard, "size", {"256MiB"})
        .body(bidirectional)};

}  // namespace
}  // namespace gpugauge::bench::copy
