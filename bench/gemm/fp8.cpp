#include "gemm/product.hpp"
#include "kernels/gemm/tcgen05.hpp"
#include "kernels/gemm/wgmma.hpp"
#include "kernels/support/tcgen05_descriptors.hpp"

namespace gpugauge::bench::gemm {
namespace {

using kernels::Bf16;
using kernels::E4m3;

using Kernel = cudaError_t (*)(const E4m3*, const E4m3*, Bf16*, int, int, int, cudaStream_t);

Definition product(const std::string& variant, Kernel kernel) {
  Definition made = define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP);
  made.variant(variant)
      .bad_value("a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice")
      .axis("shape", {"4096x4096x4096", "8192x8192x8192"})
      .quantity(Quantity::throughput, "gemm8")
      .statistics({Statistic::median, Statistic::mean})
      .batch_seconds(5e-3)
      .from(Depth::deep)
      .deterministic()
      .body([kernel](Trial& trial) {
        const Shape shape = parse_shape(trial.parameter("shape"));
        measure_product<E4m3, Bf16>(trial, kernel, kernels::gemm::tolerance_fp8_wgmma(shape.k));
      });
  return made;
}

const Registration wgmma{
    product("wgmma", kernels::gemm::wgmma)
        .isolates(
            "fp8 (e4m3) products on Hopper's Tensor Cores by wgmma and TMA, B given transposed, sums as "
            "the instruction makes them (about 14 bits in registers of fp32), bf16 result, without any "
            "library")
        .requires_gpu_of(90)};

const Registration tcgen05{
    product("tcgen05", kernels::gemm::tcgen05)
        .isolates(
            "fp8 (e4m3) products on the Tensor Cores of compute capability 10.0, 10.3 and 11.0 by tcgen05 and TMA, one "
            "SM a tile, B given transposed, sums in Tensor Memory, bf16 result, without any library")
        .stands_in_on({kernels::sm100::gpus.begin(), kernels::sm100::gpus.end()})};

}  // namespace
}  // namespace gpugauge::bench::gemm
