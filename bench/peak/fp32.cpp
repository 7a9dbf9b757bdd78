#include "peak/measure.hpp"

namespace gpugauge::bench::peak {
namespace {

const Registration fma{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                           .variant("fma")
                           .isolates("fp32 fused multiply-adds of the CUDA cores, from registers")
                           .bad_value(bad_value)
                           .quantity(Quantity::throughput, "gemm32")
                           .saturating()
                           .statistics({Statistic::median, Statistic::mean})
                           .batch_seconds(5e-3)
                           .requires_gpu()
                           .from(Depth::quick)
                           .deterministic()
                           .body([](Trial& trial) { measure_chain(trial, Chain::fp32); })};

}  // namespace
}  // namespace gpugauge::bench::peak
