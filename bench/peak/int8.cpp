#include "peak/measure.hpp"

namespace gpugauge::bench::peak {
namespace {

const Registration dp4a{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                            .variant("dp4a")
                            .isolates("Dot products of four signed bytes by the CUDA cores (dp4a), from "
                                      "registers; counts four multiplications and four additions each")
                            .bad_value(bad_value)
                            .quantity(Quantity::rate, "primitive")
                            .statistics({Statistic::median, Statistic::mean})
                            .batch_seconds(5e-3)
                            .requires_gpu()
                            .from(Depth::deep)
                            .deterministic()
                            .body([](Trial& trial) { measure_chain(trial, Chain::dp4a); })};

const Registration mma_sync{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync")
        .isolates("int8 products of the warp-level Tensor Core instruction mma.sync from registers, int32 "
                  "sums, without any memory; on compute capability "
                  "9.0, 10.x and 11.0 below what wgmma or tcgen05 reach")
        .bad_value(bad_value)
        .quantity(Quantity::rate, "gemm8")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(80)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_mma(trial, Element::int8); })};

const Registration mma_sync_m8n8k16{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync_m8n8k16")
        .isolates("int8 products of the warp-level Tensor Core instruction mma.sync from registers, int32 "
                  "sums, without any memory; the small instruction, the only one of compute capability 7.5")
        .bad_value(bad_value)
        .quantity(Quantity::rate, "gemm8")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(75)
        .stands_in_below(80)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_mma(trial, Element::int8); })};

const Registration wgmma{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("wgmma")
        .isolates("int8 products of the warpgroup-level Tensor Core instruction wgmma, operands in shared "
                  "memory, int32 sums: the most that the Tensor Cores of compute capability 9.0 do")
        .bad_value(bad_value)
        .quantity(Quantity::rate, "gemm8")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu_of(90)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_wgmma(trial, Element::int8); })};

const Registration tcgen05{define_tcgen05(GPUGAUGE_BENCH_OP, Element::int8, "int8")};

}  // namespace
}  // namespace gpugauge::bench::peak
