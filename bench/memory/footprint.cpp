#include "kernels/memory/footprint.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "memory/arrays.hpp"
#include "memory/knee.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/written.hpp"
#include "support/measure.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::memory {
namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;
// Bytes read per operation. For cached footprints we read 8 times as much, because otherwise the launch would
// be 5-10% of the time. For larger ones we keep the number of turns low: with many turns, slow blocks find in
// L2 what faster blocks have just loaded. On an H100, 4 GiB at a footprint of twice L2 then seemed 70% faster
// than device memory.
constexpr std::size_t target_bytes = 512 * mebibyte;
constexpr std::size_t cached_target_bytes = 8 * target_bytes;

// 32 KiB to 1 MiB in powers of two, then two steps per power of two, until far enough beyond L2 to show
// device memory.
std::vector<std::size_t> footprints(std::size_t l2_bytes) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 32 * kibibyte; bytes < mebibyte; bytes *= 2) sizes.push_back(bytes);
  const std::size_t most = std::max(4096 * mebibyte, 16 * l2_bytes);
  for (std::size_t bytes = mebibyte; bytes <= most; bytes *= 2) {
    sizes.push_back(bytes);
    if (bytes >= 4 * mebibyte && bytes < 512 * mebibyte) sizes.push_back(bytes / 2 * 3);
  }
  return sizes;
}

void footprint(Trial& trial) {
  const cuda::Device& gpu = cuda::device();
  const std::vector<std::size_t> sizes = footprints(gpu.l2_bytes);
  cuda::require_room(trial, sizes.back());
  if (gpu.l2_bytes < 8 * mebibyte)
    trial.note("l2", "smaller than 8 MiB: the footprints between L1 and L2 are few");
  const cuda::DeviceBuffer<float> data(sizes.back() / sizeof(float));
  const cuda::DeviceBuffer<std::uint32_t> sums(static_cast<std::size_t>(gpu.sm_count));
  cuda::check(kernels::fill_uniform(data.get(), data.count(), first_seed(trial), nullptr),
              "filling the array");
  cuda::check(cudaStreamSynchronize(nullptr), "filling the array");

  Window window = trial.window();
  window.seconds /= static_cast<double>(sizes.size());
  window.budget_seconds /= static_cast<double>(sizes.size());
  std::vector<Point> sweep;
  int wrong = 0;
  for (const std::size_t bytes : sizes) {
    const auto plan = kernels::memory::plan_footprint(
        bytes, gpu.sm_count, bytes <= gpu.l2_bytes / 2 ? cached_target_bytes : target_bytes);
    const double read = static_cast<double>(plan.vectors) * 16;
    if (!sweep.empty() && sweep.back().bytes >= read) continue;  // rounded down to the same footprint
    cuda::GpuTimer timer(
        trial,
        [&](cudaStream_t stream, std::int64_t) {
          cuda::check(kernels::memory::read_footprint(data.get(), plan, gpu.sm_count, sums.get(), stream),
                      "launching the footprint kernel");
        },
        {.warm_seconds = 0.02});
    const double seconds = seconds_per_operation(measure(timer, window), Statistic::median);
    sweep.push_back({read, plan.bytes(gpu.sm_count) / seconds});
    trial.note(fmt::format("bandwidth_at_{:07}_kib", plan.vectors * 16 / kibibyte),
               fmt::format("{:.1f} GB/s", sweep.back().value * 1e-9));

    cuda::into_poison(timer, sums);  // the current values may be left from warming up
    std::vector<std::uint32_t> parts(sums.count());
    cuda::check(
        cudaMemcpyAsync(parts.data(), sums.get(), sums.bytes(), cudaMemcpyDeviceToHost, timer.stream()),
        "reading the sums back");
    const cuda::DeviceValue<unsigned long long> once;
    cuda::check(
        kernels::memory::expected_read(plan.vectors * 4, first_seed(trial), once.get(), timer.stream()),
        "summing the generator");
    const auto expected = static_cast<std::uint32_t>(once.read(timer.stream()) * plan.readings);
    if (std::accumulate(parts.begin(), parts.end(), std::uint32_t{0}) != expected) ++wrong;
  }
  trial.note("timer", "cuda_event");
  trial.verify("footprints whose sum differs from the generator's", wrong, 0);

  const auto l2_bytes = static_cast<double>(gpu.l2_bytes);
  const auto l1 = level(sweep, 0, l1_plateau_bytes(gpu.compute_capability));
  // From this footprint on, every block reads its own slice. Below it blocks read the same data, and L1 holds
  // some of it.
  const double sliced =
      static_cast<double>(gpu.sm_count) * kernels::memory::footprint_unroll * kernels::memory::footprint_step;
  const auto l2 = level(sweep, std::min(sliced, l2_bytes / 4), l2_bytes / 2);
  const auto memory = level(sweep, 8 * l2_bytes, sweep.back().bytes);
  if (!l1 || !l2 || !memory) trial.skip("no footprint of the sweep lies within a level of this GPU");
  add_metric(trial, "l1_bandwidth", "byte/second", "smem", "median", *l1);
  add_metric(trial, "l2_bandwidth", "byte/second", "l2", "median", *l2);
  if (const auto knee = falls_below(sweep, (*l2 + *memory) / 2); knee && *l2 > *memory)
    add_metric(trial, "l2_knee", "byte", "l2", "fit", *knee);
  else
    trial.verify("reading from L2 is faster than from device memory", false);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Reading footprints from 32 KiB to several GiB over and over: the plateaus are the "
            "bandwidths of L1 (up to 64 KiB, before compute capability 8.0 up to 32 KiB, read by every SM) "
            "and of L2 (up to half of it, where it is "
            "large enough each SM another slice), the knee is the footprint at which bandwidth has fallen "
            "halfway from L2's "
            "to device memory's")
        .bad_value("a low SM clock for the plateaus; for the knee a MIG slice, persisting L2 lines left by "
                   "another program, a partly disabled L2")
        .window_share(5)  // about thirty footprints
        .custom_metrics({"l2", "smem"})
        .requires_gpu()
        .from(Depth::standard)
        .body(footprint)};

}  // namespace
}  // namespace gpugauge::bench::memory
