#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration lt{
    define_product(GPUGAUGE_BENCH_OP, fp32)
        .variant("lt")
        .saturating()
        .isolates("fp32 products by cuBLASLt in pedantic mode: no tf32, no shortcut, so "
                  "that the CUDA cores do the work; the error proves it")
        .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, "
                   "locked clocks), another process on the GPU; where only throughput "
                   "falls and throughput_best does not, the heuristic chose worse")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", {"2048x2048x2048", "8192x8192x8192", "16384x16384x16384"})
        .from(Depth::standard, "shape", {"4096x4096x4096"})
        .body([](Trial& trial) { measure_lt(trial, fp32, Layout::rows); })};

const Registration gemm_ex_registered{
    define_product(GPUGAUGE_BENCH_OP, fp32)
        .variant("gemm_ex")
        .isolates("fp32 products by cublasGemmEx in pedantic mode: no tf32")
        .bad_value("as for lt; where only this falls and lt does not, cuBLAS chose another algorithm than "
                   "cuBLASLt's heuristic")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", squares_but("4096x4096x4096"))
        .body([](Trial& trial) { measure_gemm_ex(trial, fp32); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
