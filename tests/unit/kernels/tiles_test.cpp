// The product that names its tiles' SMs, run on the host by the emulator.
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "emulator.hpp"
#include "kernels/gemm/element_error.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/support/uniform.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/integrity/tiles.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;

TEST(Tiles, product_sums_and_sms_are_right) {
  constexpr int m = 128;
  constexpr int n = 192;
  constexpr int k = 48;
  constexpr int across = n / integrity::tile_edge;
  constexpr int tiles = m / integrity::tile_edge * across;
  std::vector<Bf16> a(std::size_t{m} * k);
  std::vector<Bf16> b(std::size_t{k} * n);
  std::vector<Bf16> bt(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = uniform_bf16(1, i);
  for (std::size_t row = 0; row < k; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      b[row * n + column] = uniform_bf16(2, row * n + column);
      bt[column * k + row] = b[row * n + column];
    }
  std::vector<float> c(std::size_t{m} * n, std::numeric_limits<float>::quiet_NaN());
  std::vector<unsigned long long> sums(tiles, 0);
  std::vector<std::uint32_t> sms(tiles, 0);
  emulator::launch(tiles, integrity::tile_threads, [&] {
    integrity::tile_kernel(a.data(), bt.data(), c.data(), n, k, sums.data(), sms.data(),
                           [] { return 100 + blockIdx.x; });
  });
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      ASSERT_LE(gemm::element_error(a.data(), b.data(), c.data(), row, column, n, k),
                gemm::tolerance_bf16_mma(k))
          << row << "," << column;
  unsigned long long total = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    EXPECT_EQ(sms[static_cast<std::size_t>(tile)], 100U + static_cast<unsigned>(tile));
    unsigned long long expected = 0;
    for (int row = 0; row < integrity::tile_edge; ++row)
      for (int column = 0; column < integrity::tile_edge; ++column) {
        const auto index = static_cast<std::size_t>(tile / across * integrity::tile_edge + row) * n +
                           static_cast<std::size_t>(tile % across * integrity::tile_edge + column);
        expected += checksum_term(index, bits_of(c[index]));
      }
    EXPECT_EQ(sums[static_cast<std::size_t>(tile)], expected) << tile;
    total += expected;
  }
  EXPECT_EQ(total, checksum_on_host(c.data(), c.size() * sizeof(float)));
}

}  // namespace
