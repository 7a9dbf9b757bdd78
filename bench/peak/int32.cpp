#include "peak/measure.hpp"

namespace gpugauge::bench::peak {
namespace {

const Registration mad{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mad")
        .isolates(
            "32-bit integer multiply-adds of the CUDA cores, from registers; counts two operations each")
        .bad_value(bad_value)
        .quantity(Quantity::rate, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_chain(trial, Chain::int32); })};

}  // namespace
}  // namespace gpugauge::bench::peak
