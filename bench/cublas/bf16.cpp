#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration lt{
    define_product(GPUGAUGE_BENCH_OP, bf16)
        .variant("lt")
        .saturating()
        .isolates(
            "bf16 products with fp32 sums by cuBLASLt on Tensor Cores: what training and inference mostly do")
        .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, locked clocks), "
                   "another process on the GPU; where only throughput falls and throughput_best does not, "
                   "the heuristic chose worse")
        .axis("shape", squares())
        .from(Depth::smoke, "shape", {"4096x4096x4096"})
        .from(Depth::standard, "shape", {"8192x8192x8192"})
        .body([](Trial& trial) { measure_lt(trial, bf16, Layout::rows); })};

const Registration gemm_ex_registered{
    define_product(GPUGAUGE_BENCH_OP, bf16)
        .variant("gemm_ex")
        .isolates("bf16 products with fp32 sums by cublasGemmEx")
        .bad_value("as for lt; where only this falls and lt does not, cuBLAS chose another algorithm than "
                   "cuBLASLt's heuristic")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", squares_but("8192x8192x8192"))
        .body([](Trial& trial) { measure_gemm_ex(trial, bf16); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
