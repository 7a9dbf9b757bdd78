#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "memory/chain.hpp"
#include "memory/knee.hpp"
#include "support/cuda/room.hpp"
#include "support/measure.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::memory {
namespace {

// One line in every 2 MiB, the page size of large device allocations; a line further from page to page, so
// that the lines spread over L2. All lines together stay in L2: what grows is the translation.
constexpr std::size_t page = std::size_t{2} << 20;
constexpr std::size_t stride = page + 128;
constexpr std::uint32_t fewest_pages = 16;
constexpr std::uint32_t most_pages = 1U << 15;  // 64 GiB
// Whose latency is judged, where they fit: 1, 4 and 16 GiB. The reach is not: where translation is healthy
// the latency may never rise by a fifth (on an H100 by 4% from 32 MiB to 64 GiB), and there is nothing to
// compare.
constexpr std::array<std::uint32_t, 3> judged_pages{512, 2048, 8192};
constexpr double rise = 1.2;

std::uint32_t pages_that_fit() {
  std::uint32_t pages = fewest_pages;
  while (pages < most_pages && !cuda::why_too_large(std::size_t{pages} * 2 * stride)) pages *= 2;
  return pages;
}

void tlb(Trial& trial) {
  std::uint32_t needed = fewest_pages;
  for (const std::uint32_t pages : judged_pages)
    if (cuda::card_has_room(std::size_t{pages} * stride)) needed = pages;
  cuda::require_room(trial, std::size_t{needed} * stride);
  const std::uint32_t most = pages_that_fit();
  Window window = trial.window();
  const double points = std::bit_width(most / fewest_pages);
  window.seconds /= points;
  window.budget_seconds /= points;
  std::vector<Point> sweep;
  int wrong = 0;
  for (std::uint32_t pages = fewest_pages; pages <= most; pages *= 2) {
    Chain chain(pages, stride, trial.data_seed());
    cuda::GpuTimer timer(trial,
                         [&](cudaStream_t stream, std::int64_t) {
                           chain.follow(tlb_steps, kernels::memory::ChaseLevel::l2, stream);
                         },
                         {.warm_seconds = 0.05});
    const double seconds = seconds_per_operation(measure(timer, window), Statistic::median) / tlb_steps;
    if (!chain.stands_right()) ++wrong;
    sweep.push_back({static_cast<double>(pages) * page, seconds});
    trial.note(fmt::format("latency_at_{:05}_mib", pages * 2), fmt::format("{:.1f} ns", seconds * 1e9));
    if (std::find(judged_pages.begin(), judged_pages.end(), pages) != judged_pages.end())
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
        .isolates("Dependent loads of one line in every 2 MiB page, over ever more pages: the lines stay in "
                  "L2, so that what the latency of 512, 2048 and 8192 pages has above the lowest "
                  "(latency_covered, L2's own) is address translation; the footprint at which it rises by a "
                  "fifth, the reach of the translation caches, is recorded")
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
