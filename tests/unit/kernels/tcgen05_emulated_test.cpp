// The tcgen05 products' own device code, run on the host by an emulator of TMA, barriers, Tensor Memory and tcgen05:
// the layouts that they agree upon, the phases of ring and halves, edges. Copies and products happen as early, or as
// late, as the instructions allow.
#include <gtest/gtest.h>

#include "emulator.hpp"
#include "product.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "kernels/gemm/tcgen05.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using emulator::Arrival;
using emulator::Case;

template <typename In, int Cluster>
void expect_product_is_right(const std::vector<Case>& cases) {
  using Ring = gemm::Tcgen05Ring<In, Cluster>;
  struct Timing {
    const char* name;
    Arrival copies, products;
  };
  constexpr Timing timings[] = {{"all early", Arrival::early, Arrival::early},
                                {"all late", Arrival::late, Arrival::late},
                                {"early copies, late products", Arrival::early, Arrival::late}};
  for (const Case& of : cases)
    for (const Timing& timing : timings) {
      emulator::arrival = timing.copies;
      emulator::tensor_products = timing.products;
      const auto schedule = gemm::schedule_of(of.m, of.n, Ring::tile_m, Ring::tile_n, Cluster, 2);
      const int k_tiles = (of.k - 1) / Ring::Stage::tile_k + 1;
      const double error = emulator::largest_error<In>(
          of, Ring::tile_m, [&](const auto& a, const auto& b, const auto& /*c*/, Bf16* out) {
            emulator::launch_clusters(static_cast<unsigned>(of.clusters), Cluster, Ring::threads, [&] {
              gemm::tcgen05_kernel<In, Cluster>(a, b, out, of.m, of.n, k_tiles, schedule);
            });
          });
      // The emulator sums in fp32 and rounds to nearest.
      EXPECT_LT(error, gemm::tolerance_bf16_mma(of.k)) << of << ", " << timing.name;
    }
}

const std::vector<Case> one_tile{{128, 256, 64, 1}, {1, 8, 8, 1}, {72, 136, 40, 1}};
// Fewer blocks than tiles: both halves of Tensor Memory are used more than once, and the ring goes on from tile to tile. k
// of a part of a step, of fewer steps than stages and of more than two rounds.
const std::vector<Case> several_tiles{
    {300, 264, 24, 1}, {130, 520, 200, 1}, {129, 264, 616, 1}, {260, 264, 104, 2}};

TEST(Tcgen05Product, bf16_by_clusters_is_right) {
  expect_product_is_right<Bf16, 2>(one_tile);
  expect_product_is_right<Bf16, 2>(several_tiles);
}
TEST(Tcgen05Product, bf16_by_single_blocks_is_right) {
  expect_product_is_right<Bf16, 1>(one_tile);
  expect_product_is_right<Bf16, 1>(several_tiles);
}
TEST(Tcgen05Product, fp8_by_clusters_is_right) {
  expect_product_is_right<E4m3, 2>(
      {{128, 256, 128, 1}, {1, 8, 16, 1}, {300, 264, 144, 1}, {129, 264, 1232, 2}});
}

}  // namespace
