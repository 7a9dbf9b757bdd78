#include "peak/measure.hpp"

namespace gpugauge::bench::peak {
namespace {

const Registration fma_x2{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                              .variant("fma_x2")
                              .isolates("Pairs of fp16 fused multiply-adds of the CUDA cores, from "
                                        "registers: what 16-bit work is left with without Tensor Cores")
                              .bad_value(bad_value)
                              .quantity(Quantity::throughput, "primitive")
                              .statistics({Statistic::median, Statistic::mean})
                              .batch_seconds(5e-3)
                              .requires_gpu()
                              .from(Depth::deep)
                              .deterministic()
                              .body([](Trial& trial) { measure_chain(trial, Chain::fp16x2); })};

const Registration mma_sync{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync")
        .isolates("fp16 products of the warp-level Tensor Core instruction mma.sync from registers, fp32 "
                  "sums, without any memory; on compute capability "
                  "9.0, 10.x and 11.0 below what wgmma or tcgen05 reach")
        .bad_value(bad_value)
        .quantity(Quantity::throughput, "gemm16")
        .saturating()
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(80)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_mma(trial, Element::fp16); })};

const Registration mma_sync_m16n8k8{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync_m16n8k8")
        .isolates("fp16 products of the warp-level Tensor Core instruction mma.sync from registers, fp32 "
                  "sums, without any memory; the small instruction, the only one of compute capability 7.5, "
                  "which has no bf16")
        .bad_value(bad_value)
        .quantity(Quantity::throughput, "gemm16")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(75)
        .stands_in_below(80)
        .from(Depth::smoke)
        .deterministic()
        .body([](Trial& trial) { measure_mma(trial, Element::fp16); })};

const Registration wgmma{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("wgmma")
        .isolates("fp16 products of the warpgroup-level Tensor Core instruction wgmma, operands in shared "
                  "memory, fp32 sums: the most that the Tensor Cores of compute capability 9.0 do")
        .bad_value(bad_value)
        .quantity(Quantity::throughput, "gemm16")
        .saturating()
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu_of(90)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_wgmma(trial, Element::fp16); })};

const Registration tcgen05{define_tcgen05(GPUGAUGE_BENCH_OP, Element::fp16, "fp16")};

}  // namespace
}  // namespace gpugauge::bench::peak
