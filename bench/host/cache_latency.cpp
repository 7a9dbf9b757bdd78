#include <algorithm>

#include <fmt/format.h>

#include "result/processor_list.hpp"
#include "support/chase.hpp"
#include "support/host.hpp"
#include "support/mapping.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

// Half of the level, so that nothing else evicts the chain. For l3 it is well above l2, and well below what a
// neighbour on the same cache may have taken.
std::size_t footprint(const std::string& level, const Caches& caches) {
  if (level == "l1") return caches.l1 / 2;
  if (level == "l2") return caches.l2 / 2;
  return std::min(4 * caches.l2, caches.last / 2);
}

void cache_latency(Trial& trial) {
  const std::vector<int> cpus = cpus_of("one_core");
  const Pinned pinned(cpus);
  const Caches caches = caches_of(cpus.front());
  const std::string& level = trial.parameter("level");
  if (level == "l3" && caches.last <= 2 * caches.l2) trial.skip("this processor has no third cache level");
  const Mapping memory(footprint(level, caches), Pages::huge);
  Chase chase({memory.data(), memory.bytes()}, trial.data_seed());
  trial.note("cpus", result::processors_text(cpus));
  trial.note("footprint_bytes", fmt::format("{}", chase.bytes()));
  if (!caches.known)
    trial.note("caches", "the kernel does not tell the cache sizes: common sizes are assumed");
  trial.time([&](std::int64_t operations) { chase.follow(operations); });
  trial.verify("the chain ends where its cycle says", chase.stands_right());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Latency of one load that depends on the one before, in each cache level.")
        .bad_value("a low processor clock (governor, power limit), a neighbour in the shared cache")
        .axis("level", {"l1", "l2", "l3"})
        .from(Depth::smoke)
        .quantity(Quantity::latency, "host_cpu")
        .statistics({Statistic::median, Statistic::mean, Statistic::p99})
        .window_share(0.5)
        .body(cache_latency)};

}  // namespace
}  // namespace gpugauge::bench
