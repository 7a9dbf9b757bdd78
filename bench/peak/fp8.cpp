#include "peak/measure.hpp"

namespace gpugauge::bench::peak {
namespace {

const Registration mma_sync{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync")
        .isolates("8-bit floating-point (e4m3) products of the warp-level Tensor "
                  "Core instruction mma.sync from registers, fp32 sums, without any "
                  "memory; native on 8.9 and 12.x, made of fp16 instructions on 9.0, 10.x and 11.0")
        .bad_value(bad_value)
        .quantity(Quantity::throughput, "gemm8")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(89)
        .from(Depth::deep)
        .deterministic()
        .body([](Trial& trial) { measure_mma(trial, Element::fp8_e4m3); })};

const Registration wgmma{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                             .variant("wgmma")
                             .isolates("8-bit floating-point (e4m3) products of the warpgroup-level Tensor "
                                       "Core instruction wgmma, operands in shared memory, fp32 sums: the "
                                       "most that the Tensor Cores of compute capability 9.0 do")
                             .bad_value(bad_value)
                             .quantity(Quantity::throughput, "gemm8")
                             .saturating()
                             .statistics({Statistic::median, Statistic::mean})
                             .batch_seconds(5e-3)
                             .requires_gpu_of(90)
                             .from(Depth::deep)
                             .deterministic()
                             .body([](Trial& trial) { measure_wgmma(trial, Element::fp8_e4m3); })};

const Registration tcgen05{
    define_tcgen05(GPUGAUGE_BENCH_OP, Element::fp8_e4m3, "8-bit floating-point (e4m3)")};

}  // namespace
}  // namespace gpugauge::bench::peak
