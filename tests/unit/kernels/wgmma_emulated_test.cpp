// The wgmma products' own device code, run on the host by an emulator of TMA, barriers and wgmma: the layouts
// that they agree upon, the ring's phases, clusters, edges. Copies and products happen as early, or as late,
// as the instructions allow.
#include <string>

#include <gtest/gtest.h>

#include "emulator.hpp"
#include "product.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "kernels/gemm/wgmma_configs.hpp"
#include "kernels/gemm/wgmma_ring.cuh"
#include "kernels/gemm/wgmma_tile.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using emulator::Arrival;
using emulator::Case;
using emulator::largest_error;

struct Timing {
  const char* name;
  Arrival copies, products, stores;
};
constexpr Timing timings[] = {
    {"all early", Arrival::early, Arrival::early, Arrival::early},
    {"all late", Arrival::late, Arrival::late, Arrival::late},
    {"early copies, late products and stores", Arrival::early, Arrival::late, Arrival::late}};

void choose(const Timing& timing) {
  emulator::arrival = timing.copies;
  emulator::products = timing.products;
  emulator::reading = timing.stores;
}

template <typename In, typename Config>
void expect_ring_is_right(const std::vector<Case>& cases) {
  using Ring = gemm::Ring<In, Config>;
  for (const Case& of : cases)
    for (const Timing& timing : timings) {
      choose(timing);
      const auto schedule = gemm::schedule_of(of.m, of.n, Ring::tile_m, Ring::tile_n, Config::cluster, 2);
      const int k_tiles = (of.k - 1) / Ring::Stage::tile_k + 1;
      const double error =
          largest_error<In>(of, Ring::tile_m, [&](const auto& a, const auto& b, const auto& c, Bf16* out) {
            emulator::launch_clusters(
                static_cast<unsigned>(of.clusters), Config::cluster, Ring::threads,
                [&] { gemm::wgmma_ring_kernel<In, Config>(a, b, c, out, of.m, of.n, k_tiles, schedule); });
          });
      // The emulator sums in fp32 and rounds to nearest.
      EXPECT_LT(error, gemm::tolerance_bf16_mma(of.k)) << of << ", " << timing.name;
    }
}

// Fewer clusters than units: the ring goes on from unit to unit. k of one step, of a part of a step, of fewer
// steps than stages and of more than two rounds.
const std::vector<Case> one_tile{{128, 256, 64, 1}, {1, 8, 8, 1}, {72, 136, 40, 1}};

TEST(WgmmaRing, best_bf16_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::Best>(one_tile);
  // Several tiles, of 1, 2, 4, 5 and 10 steps of k: a part of a tile leaves behind each of the second to the
  // fifth step of the next, or where those are missing without one.
  expect_ring_is_right<Bf16, gemm::configs::Best>(
      {{130, 264, 24, 1}, {130, 264, 104, 1}, {300, 264, 200, 1}, {130, 264, 320, 1}, {129, 264, 616, 1}});
}
TEST(WgmmaRing, best_fp8_is_right) {
  expect_ring_is_right<E4m3, gemm::configs::Best>({{128, 256, 128, 1}, {1, 8, 16, 1}});
  expect_ring_is_right<E4m3, gemm::configs::Best>({{300, 264, 144, 1}, {129, 264, 1232, 1}});
}
TEST(WgmmaRing, ring_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::OneConsumer>({{128, 128, 64, 1}, {130, 136, 728, 4}});
}
TEST(WgmmaRing, ring_wide_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::OneConsumerWide>({{128, 256, 64, 1}, {130, 264, 584, 4}});
}
TEST(WgmmaRing, two_consumers_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::TwoConsumers>({{128, 256, 64, 1}, {130, 264, 584, 4}});
}
TEST(WgmmaRing, persistent_rows_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::PersistentRows>({{260, 264, 328, 2}});
}
TEST(WgmmaRing, persistent_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::Persistent>({{260, 264, 328, 2}});
}
TEST(WgmmaRing, cluster_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::Cluster>({{260, 264, 328, 1}});
}
TEST(WgmmaRing, tma_store_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::TmaStore>({{260, 264, 328, 1}});
}
TEST(WgmmaRing, overlap_is_right) {
  expect_ring_is_right<Bf16, gemm::configs::Overlap>({{260, 264, 328, 1}});
}

template <int TileM, int TileN>
void expect_tile_is_right(const Case& of) {
  using Tile = gemm::WgmmaTile<TileM, TileN>;
  for (const Timing& timing : timings) {
    choose(timing);
    const auto schedule = gemm::schedule_of(of.m, of.n, TileM, TileN, 1, 1);
    const double error =
        largest_error<Bf16>(of, TileM, [&](const auto& a, const auto& b, const auto&, Bf16* out) {
          emulator::launch_clusters(static_cast<unsigned>(schedule.units()), 1, Tile::threads, [&] {
            gemm::wgmma_tile_kernel<TileM, TileN>(a, b, out, of.m, of.n, (of.k + 63) / 64, schedule);
          });
        });
    EXPECT_LT(error, gemm::tolerance_bf16_mma(of.k)) << of << ", " << timing.name;
  }
}

TEST(WgmmaTile, of_64_is_right) {
  expect_tile_is_right<64, 64>({130, 72, 200, 0});
  expect_tile_is_right<64, 64>({1, 8, 8, 0});
}
TEST(WgmmaTile, of_128_is_right) {
  expect_tile_is_right<128, 128>({130, 136, 200, 0});
}

}  // namespace
