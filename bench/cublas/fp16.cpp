#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration lt{define_product(GPUGAUGE_BENCH_OP, fp16)
                          .variant("lt")
                          .saturating()
                          .isolates("fp16 products with fp32 sums by cuBLASLt on Tensor Cores")
                          .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, "
                                     "locked clocks), another process on the GPU; where only throughput "
                                     "falls and throughput_best does not, the heuristic chose worse")
                          .axis("shape", squares_but("4096x4096x4096"))  // measured below
                          .from(Depth::exhaustive, "shape", {"2048x2048x2048"})
                          .body([](Trial& trial) { measure_lt(trial, fp16, Layout::rows); })};

// GPUs before 8.0 have no bf16, so the profiles measure their Tensor Cores with fp16. Not declared
// saturating: no figure of such a GPU under its power limit is known here.
const Registration lt_before_bf16{
    define_product(GPUGAUGE_BENCH_OP, fp16)
        .variant("lt")
        .stands_in_below(80)
        .isolates("fp16 products with fp32 sums by cuBLASLt on Tensor Cores, on GPUs without bf16: measured "
                  "before compute capability 8.0 in the place of bf16")
        .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, "
                   "locked clocks), another process on the GPU; where only throughput "
                   "falls and throughput_best does not, the heuristic chose worse")
        .axis("shape", {"4096x4096x4096"})
        .from(Depth::smoke)
        .body([](Trial& trial) { measure_lt(trial, fp16, Layout::rows); })};

const Registration gemm_ex_registered{
    define_product(GPUGAUGE_BENCH_OP, fp16)
        .variant("gemm_ex")
        .isolates("fp16 products with fp32 sums by cublasGemmEx")
        .bad_value("as for lt; where only this falls and lt does not, cuBLAS chose another algorithm than "
                   "cuBLASLt's heuristic")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", squares_but("8192x8192x8192"))
        .body([](Trial& trial) { measure_gemm_ex(trial, fp16); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
