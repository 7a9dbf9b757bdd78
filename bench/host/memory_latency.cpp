#include <fmt/format.h>

#include "result/processor_list.hpp"
#include "support/chase.hpp"
#include "support/cold_memory.hpp"
#include "support/host.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

void memory_latency(Trial& trial) {
  const std::vector<int> cpus = cpus_of("one_core");
  const Pinned pinned(cpus);
  const std::size_t cache = caches_of(cpus.front()).last;
  Chase chase(cold_memory(cpus), trial.data_seed());
  trial.note("cpus", result::processors_text(cpus));
  trial.note("footprint_bytes", fmt::format("{}", chase.bytes()));
  if (chase.bytes() < 2 * cache) trial.note("cached", "the chain is shorter than twice the last-level cache");
  trial.time([&](std::int64_t operations) { chase.follow(operations); });
  trial.verify("the chain ends where its cycle says", chase.stands_right());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Latency of one load from host memory that depends on the one before.")
        .bad_value(
            "memory of another node, a neighbour that streams, huge pages switched off, a low memory clock")
        .from(Depth::smoke)
        .quantity(Quantity::latency, "host_memory")
        .statistics({Statistic::median, Statistic::mean, Statistic::p99})
        .window_share(0.5)
        .body(memory_latency)};

}  // namespace
}  // namespace gpugauge::bench
