#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration lt{define_product(GPUGAUGE_BENCH_OP, int8)
                          .variant("lt")
                          .isolates("int8 products with int32 sums by cuBLASLt on Tensor Cores, weights as "
                                    "out x in; sampled rows are checked to be exact")
                          .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, "
                                     "locked clocks), another process on the GPU; where only rate falls "
                                     "and rate_best does not, the heuristic chose worse")
                          .axis("shape", squares())
                          .from(Depth::exhaustive, "shape", {"2048x2048x2048", "4096x4096x4096"})
                          .from(Depth::deep, "shape", {"8192x8192x8192"})
                          .body([](Trial& trial) { measure_lt(trial, int8, Layout::linear); })};

const Registration gemm_ex_registered{
    define_product(GPUGAUGE_BENCH_OP, int8)
        .variant("gemm_ex")
        .isolates("int8 products with int32 sums by cublasGemmEx, weights as out x in")
        .bad_value("as for lt; where only this falls and lt does not, cuBLAS chose another algorithm than "
                   "cuBLASLt's heuristic")
        .axis("shape", {"8192x8192x8192"})
        .from(Depth::exhaustive)
        .body([](Trial& trial) { measure_gemm_ex(trial, int8, Layout::linear); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
