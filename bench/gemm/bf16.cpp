#include <string>
#include <vector>

#include "gemm/product.hpp"
#include "kernels/gemm/mma_bf16.hpp"
#include "kernels/gemm/tcgen05.hpp"
#include "kernels/gemm/wgmma.hpp"
#include "kernels/support/tcgen05_descriptors.hpp"

namespace gpugauge::bench::gemm {
namespace {

using kernels::Bf16;
using Kernel = cudaError_t (*)(const Bf16*, const Bf16*, Bf16*, int, int, int, cudaStream_t);

constexpr const char* bad_value =
    "a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice";

Definition product(const std::string& variant, Kernel kernel) {
  Definition made = define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP);
  made.variant(variant)
      .bad_value(bad_value)
      .quantity(Quantity::throughput, "gemm16")
      .statistics({Statistic::median, Statistic::mean})
      .batch_seconds(5e-3)
      .deterministic()
      .body([kernel](Trial& trial) {
        const Shape shape = parse_shape(trial.parameter("shape"));
        measure_product<Bf16, Bf16>(trial, kernel, kernels::gemm::tolerance_bf16_mma(shape.k));
      });
  return made;
}

const Registration mma_sync{
    product("mma_sync", kernels::gemm::mma_bf16)
        .isolates("bf16 products on Tensor Cores by the warp-level mma.sync instruction, "
                  "fp32 sums, bf16 result, without any library; on compute capability 9.0, "
                  "10.x and 11.0 below what wgmma or tcgen05 reach")
        .axis("shape", {"4096x4096x4096", "8192x8192x8192"})
        .requires_gpu(80)
        .from(Depth::deep)
        .from(Depth::standard, "shape", {"4096x4096x4096"})};

const Registration wgmma{
    product("wgmma", kernels::gemm::wgmma)
        .isolates("bf16 products on Hopper's Tensor Cores by wgmma and TMA, fp32 sums, bf16 "
                  "result, without any library: tells a slow chip from a slow library")
        .axis("shape", {"4096x4096x4096", "8192x8192x8192"})
        .requires_gpu_of(90)
        .from(Depth::deep)
        .from(Depth::standard, "shape", {"8192x8192x8192"})};

Definition product_by_tcgen05(const std::string& variant, Kernel kernel) {
  Definition made = product(variant, kernel);
  made.stands_in_on({kernels::sm100::gpus.begin(), kernels::sm100::gpus.end()}).from(Depth::deep);
  return made;
}

const Registration tcgen05{
    product_by_tcgen05("tcgen05", kernels::gemm::tcgen05)
        .isolates(
            "bf16 products on the Tensor Cores of compute capability 10.0, 10.3 and 11.0 by tcgen05 and "
            "TMA, one SM a tile, fp32 sums in Tensor Memory, bf16 result, without any library: tells a "
            "slow chip from a slow library")
        .axis("shape", {"4096x4096x4096", "8192x8192x8192"})};

const Registration tcgen05_persistent{
    product_by_tcgen05("tcgen05_persistent", kernels::gemm::tcgen05_persistent)
        .isolates(
            "The step before gemm/bf16/tcgen05: each block reads all its columns of B, where clusters of two "
            "read them once for both, by TMA multicast")
        .axis("shape", {"4096x4096x4096"})};

const std::vector<std::string> small_shape{"4096x4096x4096"};
// What an order of tiles saves grows with the matrices.
const std::vector<std::string> both_shapes{"4096x4096x4096", "8192x8192x8192"};

// The ladder: each step shows what one mechanism gains, and so what its loss would cost.
Definition step(const std::string& variant, Kernel kernel, const std::string& isolates,
                const std::vector<std::string>& shapes = small_shape) {
  return product(variant, kernel)
      .isolates("A step towards gemm/bf16/wgmma: " + isolates)
      .axis("shape", shapes)
      .requires_gpu_of(90)
      .from(Depth::deep);
}

const Registration steps[] = {
    Registration{step("wgmma_tile_64", kernels::gemm::wgmma_tile_64,
                      "one warpgroup copies a tile of 64x64 by TMA, waits and multiplies by turns")},
    Registration{step("wgmma_tile_128", kernels::gemm::wgmma_tile_128,
                      "tiles of 128x128, half the bytes for each product")},
    Registration{step("wgmma_ring", kernels::gemm::wgmma_ring,
                      "one thread copies up to five stages ahead of the multiplying warpgroup")},
    Registration{step("wgmma_ring_wide", kernels::gemm::wgmma_ring_wide,
                      "tiles of 128x256 by one warpgroup, whose registers do not hold the sums: they are "
                      "spilled, and the wgmma wait for each other")
                     .from(Depth::exhaustive)},
    Registration{step("wgmma_two_consumers", kernels::gemm::wgmma_two_consumers,
                      "tiles of 128x256 by two warpgroups, with registers moved to them by setmaxnreg")},
    Registration{step("wgmma_persistent_rows", kernels::gemm::wgmma_persistent_rows,
                      "one block an SM takes all tiles, row after row", both_shapes)
                     .from(Depth::exhaustive)},
    Registration{step("wgmma_persistent", kernels::gemm::wgmma_persistent,
                      "tiles in bands of 16 rows, of which those made at the same time share more in L2",
                      both_shapes)
                     .from(Depth::exhaustive)
                     .from(Depth::deep, "shape", small_shape)},
    Registration{step("wgmma_cluster", kernels::gemm::wgmma_cluster,
                      "clusters of two blocks read the columns of B once for both, by TMA multicast")},
    Registration{step("wgmma_tma_store", kernels::gemm::wgmma_tma_store,
                      "the result leaves through shared memory by TMA")},
    Registration{step("wgmma_overlap", kernels::gemm::wgmma_overlap,
                      "a tile of the result leaves while the Tensor Cores multiply the next one")},
};

}  // namespace
}  // namespace gpugauge::bench::gemm
