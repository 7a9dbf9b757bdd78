#include <string>

#include "gemm/product.hpp"
#include "kernels/gemm/simt_fp32.hpp"
#include "kernels/gemm/simt_ladder.hpp"

namespace gpugauge::bench::gemm {
namespace {

using Kernel = cudaError_t (*)(const float*, const float*, float*, int, int, int, cudaStream_t);

Definition product(const std::string& variant, Kernel kernel) {
  Definition made = define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP);
  made.variant(variant)
      .bad_value("a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice")
      .quantity(Quantity::throughput, "gemm32")
      .statistics({Statistic::median, Statistic::mean})
      .batch_seconds(5e-3)
      .requires_gpu()
      .deterministic()
      .body([kernel](Trial& trial) {
        measure_product<float, float>(trial, kernel, kernels::gemm::tolerance_fp32_fma());
      });
  return made;
}

const Registration simt{
    product("simt", kernels::gemm::simt_fp32)
        .isolates(
            "fp32 fused multiply-adds of the CUDA cores, fed from shared memory, without Tensor Cores or "
            "any library: what an fp32 product costs when tf32 is off")
        .axis("shape", {"2048x2048x2048", "4096x4096x4096"})
        .from(Depth::deep)};

const Registration steps[] = {
    Registration{
        product("naive", kernels::gemm::simt_naive)
            .isolates("A step towards gemm/fp32/simt: a thread makes one element straight from the caches")
            .axis("shape", {"2048x2048x2048"})
            .from(Depth::deep)},
    Registration{product("shared_tile", kernels::gemm::simt_shared_tile)
                     .isolates("A step towards gemm/fp32/simt: tiles in shared memory, at least a load from "
                               "it for each product")
                     .axis("shape", {"2048x2048x2048"})
                     .from(Depth::deep)},
};

}  // namespace
}  // namespace gpugauge::bench::gemm
