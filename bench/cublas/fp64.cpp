#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration lt{
    define_product(GPUGAUGE_BENCH_OP, fp64)
        .variant("lt")
        .isolates("fp64 products by cuBLASLt, which uses the Tensor Cores' fp64 unit where "
                  "there is one (8.0, 9.0, 10.0)")
        .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, "
                   "locked clocks), another process on the GPU; where only throughput "
                   "falls and throughput_best does not, the heuristic chose worse")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", {"2048x2048x2048", "4096x4096x4096", "16384x16384x16384"})
        .body([](Trial& trial) { measure_lt(trial, fp64, Layout::rows); })};

const Registration gemm_ex_registered{
    define_product(GPUGAUGE_BENCH_OP, fp64)
        .variant("gemm_ex")
        .isolates("fp64 products by cublasGemmEx: the algorithm is chosen inside")
        .bad_value("as for lt; where only this falls and lt does not, cuBLAS chose another algorithm than "
                   "cuBLASLt's heuristic")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", squares_but("8192x8192x8192"))
        .body([](Trial& trial) { measure_gemm_ex(trial, fp64); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
