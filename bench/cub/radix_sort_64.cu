#include "cub/sort_keys.hpp"

namespace gpugauge::bench::cub_library {
namespace {

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "CUB's radix sort of random 64-bit keys, keys a second: passes over device memory with scattered "
            "writing, ranking in shared memory")
        .bad_value(bad_value)
        .quantity(Quantity::rate, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(2e-2)
        .memory_bound()
        .requires_gpu()
        .from(Depth::deep)
        .body(measure_sort_of_keys<std::uint64_t>)};

}  // namespace
}  // namespace gpugauge::bench::cub_library
