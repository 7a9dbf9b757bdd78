#include "copy/transfer.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"
#include "support/cuda/written.hpp"

namespace gpugauge::bench::copy {
namespace {

struct Buffers {
  explicit Buffers(std::size_t count) : from(count), to(count) {}
  cuda::DeviceBuffer<float> from, to;
};

void within_device(Trial& trial) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  // Small ones stay in L2: thousands of buffers would be needed to leave it, and starting a copy is what they take.
  const bool cold = trial.instance().definition->metric_class == "hbm";
  const std::size_t sets = cold ? cuda::bus_rotation_sets(2 * bytes, cuda::device().l2_bytes) : 1;
  cuda::require_room(trial, sets * 2 * bytes);
  cuda::Rotation<Buffers> rotation(sets, bytes / sizeof(float));
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t index) {
    const Buffers& set = rotation[index];
    cuda::check(
        cudaMemcpyAsync(set.to.get(), set.from.get(), set.from.bytes(), cudaMemcpyDeviceToDevice, stream),
        "enqueueing a copy");
  });
  const cudaStream_t stream = timer.stream();
  for (std::size_t set = 0; set < sets; ++set) {
    const Buffers& one = rotation[static_cast<std::int64_t>(set)];
    cuda::check(kernels::fill_uniform(one.from.get(), one.from.count(), trial.data_seed() + set, stream),
                "filling the source");
    cuda::check(kernels::poison(one.to.get(), one.to.bytes(), stream), "poisoning the target");
  }
  AtMost batches(timer, most_copies(bytes));
  trial.work({.bytes = 2.0 * static_cast<double>(bytes)});
  trial.note("buffer_sets", std::to_string(sets));
  trial.note("cache", cache_note(sets * 2 * bytes, cuda::device().l2_bytes));
  trial.time(batches);
  while (timer.operations() < static_cast<std::int64_t>(sets))
    timer.enqueue_one();  // writes each target once
  const auto compare = [&](const char* method) {
    for (std::size_t set = 0; set < sets; ++set) {
      const Buffers& one = rotation[static_cast<std::int64_t>(set)];
      const cuda::DeviceComparison found;
      cuda::check(kernels::memory::count_copy_mismatches(one.to.get(), one.to.count(),
                                                         trial.data_seed() + set, found.get(), stream),
                  "comparing the target with the generator");
      cuda::verify(trial, method, found, stream);
    }
  };
  compare(as_timed);
  for (std::size_t set = 0; set < sets; ++set) cuda::into_poison(timer, rotation[timer.operations()].to);
  compare(once_more);
}

Definition copying(const char* metric_class, const std::vector<std::string>& of_sizes) {
  return define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
      .axis("size", of_sizes)
      .quantity(Quantity::bandwidth, metric_class)
      .batch_seconds(5e-3)
      .requires_gpu()
      .from(Depth::deep)
      .body(within_device);
}

const Registration large{
    copying("hbm", {"64MiB", "256MiB", "1GiB"})
        .isolates(
            "cudaMemcpyAsync within device memory: the way that the driver chooses to copy; bytes read and "
            "written both count")
        .bad_value(
            "a memory clock below its maximum, ECC or row-remapping trouble, another process on the GPU, a "
            "driver that copies by its engine instead of the SMs")
        .from(Depth::exhaustive, "size", {"64MiB", "256MiB"})};

const Registration small{
    copying("l2", {"4KiB", "64KiB", "1MiB"})
        .isolates(
            "cudaMemcpyAsync within device memory of what L2 holds: starting a copy is most of its time; bytes "
            "read and written both count")
        .bad_value("a driver that copies by its engine instead of the SMs, a lower SM clock")
        .from(Depth::exhaustive)};

}  // namespace
}  // namespace gpugauge::bench::copy
