#include "peak/measure.hpp"

namespace gpugauge::bench::peak {
namespace {

const Registration mma_sync{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync")
        .isolates("bf16 products of the warp-level Tensor Core instruction mma.sync from registers, fp32 "
                  "sums, without any memory; on compute capability "
                  "9.0, 10.x and 11.0 below what wgmma or tcgen05 reach")
        .bad_value(bad_value)
        .quantity(Quantity::throughput, "gemm16")
        .saturating()
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(80)
        .from(Depth::smoke)
        .deterministic()
        .body([](Trial& trial) { measure_mma(trial, Element::bf16); })};

const Registration wgmma{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("wgmma")
        .isolates("bf16 products of the warpgroup-level Tensor Core instruction wgmma, operands in shared "
                  "memory, fp32 sums: the most that the Tensor Cores of compute capability 9.0 do")
        .bad_value(bad_value)
        .quantity(Quantity::throughput, "gemm16")
        .saturating()
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu_of(90)
        .from(Depth::standard)
        .deterministic()
        .body([](Trial& trial) { measure_wgmma(trial, Element::bf16); })};

const Registration tcgen05{define_tcgen05(GPUGAUGE_BENCH_OP, Element::bf16, "bf16")};

}  // namespace
}  // namespace gpugauge::bench::peak
