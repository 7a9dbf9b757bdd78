#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "memory/chain.hpp"
#include "memory/knee.hpp"
#include "memory/pages.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/room.hpp"
#include "support/measure.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::memory {
namespace {

// All lines together fit in L2, so any increase comes from address translation. The reach is not judged.
// Where translation is healthy the latency may never rise by a fifth, and there is nothing to compare (on an
// H100 it rose by 4% from 32 MiB to 64 GiB).
constexpr double rise = 1.2;

void tlb(Trial& trial) {
  const std::uint32_t judged = most_judged(cuda::memory_now());
  const std::uint32_t needed = std::max(judged, fewest_pages);
  cuda::require_room(trial, needed * page_stride);
  const std::uint32_t most = std::max(needed, pages_that_fit(cuda::memory_now()));
  Window window = trial.window();
  const double points = std::bit_width(most / fewest_pages);
  window.seconds /= points;
  window.budget_seconds /= points;
  std::vector<Point> sweep;
  int wrong = 0;
  for (std::uint32_t pages = fewest_pages; pages <= most; pages *= 2) {
    Chain chain(pages, page_stride, trial.data_seed());
    cuda::GpuTimer timer(trial,
                         [&](cudaStream_t stream, std::int64_t) {
                           chain.follow(tlb_steps, kernels::memory::ChaseLevel::l2, stream);
                         },
                         {.warm_seconds = 0.05});
    const double seconds = seconds_per_operation(measure(timer, window), Statistic::median) / tlb_steps;
    if (!chain.stands_right()) ++wrong;
    sweep.push_back({static_cast<double>(pages) * page_bytes, seconds});
    trial.note(fmt::format("latency_at_{:05}_mib", pages * 2), fmt::format("{:.1f} ns", seconds * 1e9));
    if (pages <= judged && std::find(judged_pages.begin(), judged_pages.end(), pages) != judged_pages.end())
      add_metric(trial, fmt::format("latency_of_{}_pages", pages), "second", "hbm", "median", seconds);
  }
  trial.note("timer", "cuda_event");
  trial.verify("chases that do not stand where their cycle ends", wrong, 0);

  const auto least = std::min_element(sweep.begin(), sweep.end(),
                                      [](const Point& a, const Point& b) { return a.value < b.value; });
  const auto knee = rises_above(sweep, rise * least->value);
  add_metric(trial, "reach", "byte", "hbm", "fit", knee.value_or(sweep.back().bytes),
             knee
                 ? "where the latency has risen for good by a fifth; judged are the latencies of fixed "
                   "numbers of pages"
                 : "the latency never rose for good by a fifth: the reach is at least the largest footprint");
  add_metric(trial, "latency_covered", "second", "l2", "minimum", least->value);
  add_metric(trial, "latency_of_largest", "second", "hbm", "median", sweep.back().value,
             fmt::format("over {:.0f} GiB, as much as was free: the footprint may differ from run to run",
                         sweep.back().bytes / (1U << 30)));
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Dependent loads of one line in every 2 MiB page, over ever more pages: the lines stay in "
            "L2, so that what the latency of 512, 2048 and 8192 pages has above the lowest "
            "(latency_covered, L2's own) is address translation; the footprint at which it rises by a "
            "fifth, the reach of the translation caches, is recorded. Which of the three "
            "are measured follows from the GPU's memory; where that is the host's, too, 512 pages alone")
        .bad_value("device memory in small pages, as a virtualisation layer (vGPU) may hand it out; where "
                   "latency_covered is slower alike: a low SM clock, as for L2's latency")
        .window_share(5)  // up to twelve footprints
        .custom_metrics({"hbm", "l2"})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(tlb)};

}  // namespace
}  // namespace gpugauge::bench::memory
