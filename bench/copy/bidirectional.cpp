#include <future>

#include "copy/transfer.hpp"
#include "support/cuda/room.hpp"

namespace gpugauge::bench::copy {
namespace {

/// A pair of buffers for each direction. `Host` is as of Pair.
template <typename Host>
class BothWays {
 public:
  /// Skips the trial with a reason where the device buffers do not fit. Declares the work of one copy each way.
  explicit BothWays(Trial& trial)
      : bytes(fitting(trial)), in(trial, bytes, Direction::to_device), out(trial, bytes, Direction::to_host) {
    trial.work({.bytes = 2.0 * static_cast<double>(bytes)});
    trial.note("link_directions", "2");
  }

  /// Compares both targets as they were timed, and after `copy` copied once more by the way that was timed.
  template <typename Copy>
  void verify(Trial& trial, const Copy& copy) {
    const auto compare = [&](const std::string& method) {
      in.verify(trial, method + ", on the device");
      out.verify(trial, method + ", on the host");
    };
    compare(as_timed);
    in.poison_target();
    out.poison_target();
    copy();
    compare(once_more);
  }

  const std::uint64_t bytes;  ///< of one direction
  Pair<Host> in;
  Pair<Host> out;

 private:
  static std::uint64_t fitting(Trial& trial) {
    const std::uint64_t bytes = bytes_of(trial.parameter("size"));
    cuda::require_room_with_host(trial, 2 * bytes, 2 * bytes);
    return bytes;
  }
};

void by_engines(Trial& trial) {
  BothWays<cuda::PinnedBuffer<float>> both(trial);
  const cuda::Stream other;
  const cuda::Event fork(cudaEventDisableTiming);
  const cuda::Event join(cudaEventDisableTiming);
  // Both directions start together, and the next pair starts when both have ended.
  cuda::GpuTimer timer(
      trial,
      [&](cudaStream_t stream, std::int64_t) {
        fork.record(stream);
        cuda::check(cudaStreamWaitEvent(other.get(), fork.get(), 0), "waiting for the start");
        both.out.enqueue(other.get());
        both.in.enqueue(stream);
        join.record(other.get());
        cuda::check(cudaStreamWaitEvent(stream, join.get(), 0), "waiting for the other direction");
      },
      {.launches_per_operation = 4});
  AtMost batches(timer, most_copies(both.bytes));
  trial.time(batches);
  both.verify(trial, [&] { timer.enqueue_one(); });
}

void by_one_kernel(Trial& trial) {
  BothWays<cuda::PinnedBuffer<float>> both(trial);
  const float* const from_host = both.in.host_buffer().on_device();
  float* const to_host = both.out.host_buffer().on_device();
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::memory::copy_pair(both.out.device(), to_host, from_host, both.in.device(),
                                           both.in.count(), stream),
                "launching the copy kernel");
  });
  AtMost batches(timer, most_copies(both.bytes));
  trial.time(batches);
  both.verify(trial, [&] { timer.enqueue_one(); });
}

void by_two_threads(Trial& trial) {
  using Pageable = Pair<std::vector<float>>;
  BothWays<std::vector<float>> both(trial);
  const cuda::Stream inwards;
  const cuda::Stream outwards;
  const auto one_way = [](Pageable& pair, const cuda::Stream& stream, std::int64_t copies) {
    for (std::int64_t i = 0; i < copies; ++i) pair.enqueue(stream.get());
    stream.synchronize();
  };
  // Making the other thread takes some 20 us of a batch of 20 ms. What it throws is thrown here.
  const auto both_ways = [&](std::int64_t copies) {
    std::future<void> other = std::async(std::launch::async, [&] { one_way(both.out, outwards, copies); });
    one_way(both.in, inwards, copies);
    other.get();
  };
  trial.time(both_ways);
  both.verify(trial, [&] { both_ways(1); });
}

Definition at_once(const char* variant) {
  return define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
      .variant(variant)
      .axis("size", sizes)
      .quantity(Quantity::bandwidth, "h2d")
      .batch_seconds(20e-3)
      .requires_gpu()
      .from(Depth::exhaustive);
}

const Registration pinned{
    at_once("pinned")
        .isolates(
            "Copying page-locked memory in both directions at once by two copy engines; the bytes of both "
            "count. PCIe has lanes for each direction: a healthy link nearly doubles. Each pair starts together, "
            "and the next when both have ended, which is most of the time of small ones")
        .bad_value(
            "one copy engine for both directions, a switch or root complex that is shared, host memory that "
            "cannot feed both, an IOMMU that translates")
        .batch_seconds(10e-3)  // two pairs of 256 MiB: standard has no room for longer ones
        .from(Depth::standard, "size", {"256MiB"})
        .body(by_engines)};

const Registration pinned_sm{
    at_once("pinned_sm")
        .isolates(
            "Copying page-locked memory in both directions at once by one kernel on the SMs, without a copy "
            "engine; the bytes of both count. Each thread reads from the host and writes to it, because the "
            "blocks of two kernels would mostly run one kernel after the other")
        .bad_value("what slows two copy engines too; alone: small requests on the link")
        .from(Depth::deep, "size", {"256MiB"})
        .body(by_one_kernel)};

const Registration pageable{
    at_once("pageable")
        .isolates(
            "Copying pageable memory in both directions at once by two threads of the host, one for each "
            "direction, because such a copy holds its thread while the driver stages it; the bytes of both "
            "count, until the slower direction has ended. On the host's clock")
        .bad_value(
            "one processor for both threads, a driver that lets them stage in turns only, a slow or throttled "
            "processor, host memory that cannot feed both, host memory of the other NUMA node")
        .from(Depth::deep, "size", {"256MiB"})
        .body(by_two_threads)};

}  // namespace
}  // namespace gpugauge::bench::copy
