#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration with_bf16{
    define_product(GPUGAUGE_BENCH_OP, bf16)
        .isolates("Many small products in one call, at equal distances in memory "
                  "(cublasGemmStridedBatchedEx), in bf16")
        .bad_value("small products fall back to one kernel each, or to kernels without Tensor Cores")
        .axis("shape", {"128x128x128", "512x512x512"})
        .axis("batch", {"1024"})
        .body([](Trial& trial) { measure_gemm_ex(trial, bf16); })};

const Registration with_fp32{
    define_product(GPUGAUGE_BENCH_OP, fp32)
        .isolates("Many small products in one call, at equal distances in memory "
                  "(cublasGemmStridedBatchedEx), in fp32")
        .bad_value(
            "small products fall back to one kernel each; Tensor Cores have no part in it (pedantic fp32)")
        .axis("shape", {"128x128x128", "512x512x512"})
        .axis("batch", {"1024"})
        .body([](Trial& trial) { measure_gemm_ex(trial, fp32); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
