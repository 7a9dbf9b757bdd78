#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration lt_e4m3{
    define_product(GPUGAUGE_BENCH_OP, e4m3)
        .variant("lt_e4m3")
        .isolates("fp8 products by cuBLASLt, both inputs e4m3, bf16 result, weights as out x in (the only "
                  "layout of 8.9 and 9.0), no fast accumulation")
        .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, locked clocks), "
                   "another process on the GPU; where only throughput falls and throughput_best does not, "
                   "the heuristic chose worse")
        .saturating()
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", {"2048x2048x2048", "4096x4096x4096"})
        .from(Depth::quick, "shape", {"8192x8192x8192"})
        .body([](Trial& trial) { measure_lt(trial, e4m3, Layout::linear); })};

const Registration lt_e4m3_fast{
    define_product(GPUGAUGE_BENCH_OP, e4m3_fast)
        .variant("lt_e4m3_fast")
        .isolates("fp8 products by cuBLASLt, both inputs e4m3, bf16 result, weights as out x in, with fast "
                  "accumulation: on compute capability 8.9 and 9.0 sums keep the bits that the Tensor Core "
                  "gives them, as in the hand-written product")
        .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, locked clocks), "
                   "another process on the GPU; where only throughput falls and throughput_best does not, "
                   "the heuristic chose worse")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", squares_but("8192x8192x8192"))
        .body([](Trial& trial) { measure_lt(trial, e4m3_fast, Layout::linear); })};

const Registration lt_e5m2_e4m3{
    define_product(GPUGAUGE_BENCH_OP, e5m2_e4m3)
        .variant("lt_e5m2_e4m3")
        .isolates("fp8 products by cuBLASLt, e5m2 (gradients) times e4m3 (weights), bf16 result, weights as "
                  "out x in, no fast accumulation")
        .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, locked clocks), "
                   "another process on the GPU; where only throughput falls and throughput_best does not, "
                   "the heuristic chose worse")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", squares_but("8192x8192x8192"))
        .body([](Trial& trial) { measure_lt(trial, e5m2_e4m3, Layout::linear); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
