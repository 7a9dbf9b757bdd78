#include "judge/invariants.hpp"

#include <array>

namespace gpugauge::judge {
namespace {

constexpr std::string_view more_cores =
    "all cores together do at least about what one does; less means that they are held back together (a "
    "quota, a "
    "neighbour) or were not given the work";

constexpr std::array known_invariants{
    Invariant{"host/copy/all_cores:bandwidth", "host/copy/one_core:bandwidth", .8, 0, more_cores},
    Invariant{"host/triad/all_cores:bandwidth", "host/triad/one_core:bandwidth", .8, 0, more_cores},
    Invariant{"host/fp64/all_cores:throughput", "host/fp64/one_core:throughput", .8, 0, more_cores},
    Invariant{
        "host/memory_latency:latency", "host/cache_latency/l1:latency", 3, 0,
        "memory is many times slower than the first cache; less means that the chase never left the caches"},
};

}  // namespace

std::span<const Invariant> invariants() {
  return known_invariants;
}

}  // namespace gpugauge::judge
