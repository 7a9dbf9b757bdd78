#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"
#include "support/cuda/written.hpp"
#include "sustained/endure.hpp"

namespace gpugauge::bench::sustained {
namespace {

void copy(Trial& trial) {
  const std::size_t bytes = cuda::bus_array_bytes(cuda::device().l2_bytes);
  cuda::require_room(trial, 2 * bytes);
  const std::size_t count = bytes / sizeof(float);
  const cuda::DeviceBuffer<float> from(count);
  const cuda::DeviceBuffer<float> to(count);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::memory::copy(from.get(), to.get(), count, stream), "launching the copy kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(from.get(), count, trial.data_seed(), stream), "filling the source");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the target");
  const double moved = 2.0 * static_cast<double>(from.bytes());
  trial.work({.bytes = moved});
  endure(trial, timer, moved, "byte/second", "hbm");
  const cuda::DeviceComparison found;
  const auto compare = [&](const char* method) {
    cuda::check(
        kernels::memory::count_copy_mismatches(to.get(), count, trial.data_seed(), found.get(), stream),
        "comparing the target with the generator");
    cuda::verify(trial, method, found, stream);
  };
  compare("elements that differ from the generator's");
  cuda::into_poison(timer, to);
  compare("the same after one more launch into poisoned memory");
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Copying within device memory for a minute: what heat and time do to the "
                  "memory's bandwidth. "
                  "First against last second, the slowest second, spread, two modes, the longest pause")
        .bad_value(
            "memory that throttles by temperature, cooling, a neighbour on the GPU that comes and goes")
        .window_share(windows)
        .sustained()
        .power_heavy()
        .custom_metrics({"hbm"})
        .requires_gpu()
        .from(Depth::deep)
        .body(copy)};

}  // namespace
}  // namespace gpugauge::bench::sustained
