#include "copy/transfer.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/room.hpp"

namespace gpugauge::bench::copy {
namespace {

void within_device(Trial& trial) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  cuda::require_room(trial, 2 * bytes);
  const cuda::DeviceBuffer<float> from(bytes / sizeof(float));
  const cuda::DeviceBuffer<float> to(bytes / sizeof(float));
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(cudaMemcpyAsync(to.get(), from.get(), from.bytes(), cudaMemcpyDeviceToDevice, stream),
                "enqueueing a copy");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(from.get(), from.count(), trial.data_seed(), stream),
              "filling the source");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the target");
  AtMost batches(timer, most_copies(bytes));
  trial.work({.bytes = 2.0 * static_cast<double>(bytes)});
  trial.note("cache", 2 * bytes >= 3 * cuda::device().l2_bytes
                          ? "cold: both buffers are at least three times L2"
                          : "part of the data stays in L2");
  trial.time(batches);
  const cuda::DeviceComparison found;
  cuda::check(
      kernels::memory::count_copy_mismatches(to.get(), to.count(), trial.data_seed(), found.get(), stream),
      "comparing the target with the generator");
  cuda::verify(trial, "elements that differ from the generator's", found, stream);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "cudaMemcpyAsync within device memory: the way that the driver chooses to copy; bytes read and "
            "written both count")
        .bad_value(
            "a memory clock below its maximum, ECC or row-remapping trouble, another process on the GPU, a "
            "driver that copies by its engine instead of the SMs")
        .axis("size", {"256MiB", "1GiB"})
        .quantity(Quantity::bandwidth, "hbm")
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(within_device)};

}  // namespace
}  // namespace gpugauge::bench::copy
