#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "memory/chain.hpp"
#include "memory/groups.hpp"
#include "support/cuda/room.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::memory {
namespace {

using kernels::memory::ChaseLevel;

/// Where the chase runs, and how many loads one launch makes.
struct Level {
  std::string metric_class;
  std::uint32_t elements;
  std::uint32_t steps;
  ChaseLevel loads;
};

constexpr std::size_t line = 128;

Level level_of(const std::string& name, std::size_t l2_bytes) {
  if (name == "l1") return {"smem", 64, l1_steps, ChaseLevel::l1};
  if (name == "l2") {
    // 4 MiB, but at most a quarter of L2.
    const std::size_t bytes = std::min<std::size_t>(4 << 20, std::bit_floor(l2_bytes / 4));
    return {"l2", static_cast<std::uint32_t>(bytes / line), l2_steps, ChaseLevel::l2};
  }
  const std::size_t bytes = std::bit_ceil(std::max<std::size_t>(std::size_t{1} << 30, 16 * l2_bytes));
  return {"hbm", static_cast<std::uint32_t>(bytes / line), dram_steps, ChaseLevel::l2};
}

// Measures how long one SM waits for each line of L2: where L2 has two halves, some lines are near and some
// far.
void measure_lines(Trial& trial, const Chain& chain) {
  constexpr int rounds = 5;
  const cuda::DeviceBuffer<std::uint32_t> cycles(chain.elements());
  cuda::check(cudaMemset(cycles.get(), 0, cycles.bytes()), "clearing the cycles");
  cuda::check(kernels::memory::chase_lines(chain.memory(), chain.elements(), chain.stride(), rounds,
                                           cycles.get(), nullptr),
              "launching the chase of lines");
  std::vector<std::uint32_t> found(cycles.count());
  cuda::check(cudaMemcpy(found.data(), cycles.get(), cycles.bytes(), cudaMemcpyDeviceToHost),
              "reading the cycles back");
  trial.verify("every line was timed", std::find(found.begin(), found.end(), 0U) == found.end());
  std::vector<double> clocks;
  for (const double clock : trial.batches().sm_clock_hz)
    if (clock > 0) clocks.push_back(clock);
  if (clocks.empty()) {
    trial.note("lines", "the SM clock is not known, so that cycles cannot be turned into seconds");
    return;
  }
  const double hertz = median(std::move(clocks));
  std::vector<double> seconds(found.size());
  std::transform(found.begin(), found.end(), seconds.begin(),
                 [hertz](std::uint32_t count) { return count / hertz; });
  add_metric(trial, "latency_of_lines_p10", "second", "l2", "p10", nearest_rank(seconds, 0.1));
  add_metric(trial, "latency_of_lines_p90", "second", "l2", "p90", nearest_rank(seconds, 0.9));
  const Groups groups = two_groups(seconds);
  trial.note("near_and_far_lines",
             groups.separate ? fmt::format("{:.1f} ns near, {:.1f} ns far, {:.0f}% of the lines are near",
                                           groups.low * 1e9, groups.high * 1e9, groups.low_share * 100)
                             : "not separable: the lines' latencies form one group");
}

void latency(Trial& trial) {
  const std::string& name = trial.parameter("level");
  const Level level = level_of(name, cuda::device().l2_bytes);
  cuda::require_room(trial, std::size_t{level.elements} * line);
  Chain chain(level.elements, line, trial.data_seed());
  cuda::GpuTimer timer(
      trial, [&](cudaStream_t stream, std::int64_t) { chain.follow(level.steps, level.loads, stream); });
  trial.work({.items = static_cast<double>(level.steps)});
  trial.note("footprint_bytes", fmt::format("{}", level.elements * line));
  trial.time(timer);
  add_metric(trial, "latency", "second", level.metric_class, "median",
             seconds_per_operation(trial.batches(), Statistic::median) / level.steps);
  trial.verify("the chase stands where the cycle ends", chain.stands_right());
  if (name == "l2") measure_lines(trial, chain);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "One load after another, each giving the next one's address, over a random cycle of lines: "
            "seconds a load by L1 (8 KiB), by L2 (up to 4 MiB, past L1; percentiles over lines show "
            "near and far halves), by device memory (1 GiB or more, so many pages that misses of the first "
            "level of address translation are probably part of it)")
        .bad_value("a low SM clock for L1 and L2, a low memory clock for device memory, another process on "
                   "the GPU")
        .axis("level", {"l1", "l2", "dram"})
        .custom_metrics({"hbm", "l2", "smem"})
        .classes_of("level", "l1", {"smem"})
        .classes_of("level", "l2", {"l2"})
        .classes_of("level", "dram", {"hbm"})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .from(Depth::standard, "level", {"dram"})
        .body(latency)};

}  // namespace
}  // namespace gpugauge::bench::memory
