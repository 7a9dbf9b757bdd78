#include "peak/measure.hpp"

namespace gpugauge::bench::peak {
namespace {

const Registration fma{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                           .variant("fma")
                           .isolates("fp64 fused multiply-adds of the CUDA cores, from registers")
                           .bad_value(bad_value)
                           .quantity(Quantity::throughput, "gemm64")
                           .statistics({Statistic::median, Statistic::mean})
                           .batch_seconds(5e-3)
                           .window_share(.5)  // the profile has no spare time
                           .requires_gpu()
                           .from(Depth::quick)
                           .deterministic()
                           .body([](Trial& trial) { measure_chain(trial, Chain::fp64); })};

const Registration mma_sync{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync")
        .isolates(
            "fp64 products of the warp-level Tensor Core instruction mma.sync from registers, fp64 "
            "sums, without any memory; the small instruction m8n8k4, which every GPU from 8.0 on has; an "
            "H100 does half as much by it as by the large one")
        .bad_value(bad_value)
        .quantity(Quantity::throughput, "gemm64")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(80)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_mma(trial, Element::fp64); })};

const Registration mma_sync_m16n8k16{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync_m16n8k16")
        .isolates("fp64 products of the warp-level Tensor Core instruction mma.sync from registers, fp64 "
                  "sums, without any memory; the large instruction of compute capability 9.0, which later "
                  "ones make of small ones")
        .bad_value(bad_value)
        .quantity(Quantity::throughput, "gemm64")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(90)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_mma(trial, Element::fp64, true); })};

}  // namespace
}  // namespace gpugauge::bench::peak
