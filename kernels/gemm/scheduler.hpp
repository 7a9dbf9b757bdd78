// The order in which persistent blocks take the tiles of a product. Runs on the host too, so that it is
// tested without a GPU.
#pragma once

#include "kernels/gemm/tiling.hpp"
#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::gemm {

/// The order in which blocks take tiles.
enum class Order {
  row_major,  ///< row after row of tiles
  grouped,    ///< bands of rows, column by column (TileOrder)
};

/// Tiles from top to bottom of a band of the wgmma products, clusters or not. The 132 blocks of an H100 then
/// work on bands of 16 by 8.25 tiles of 128x256.
inline constexpr int band_rows = 16;

/// The tiles of a product in units of `cluster` tiles, stacked vertically, one per block of a cluster. Where
/// the tile rows are not a multiple of `cluster`, the last units contain tiles outside the matrix.
struct Schedule {
  int rows = 0;     ///< units from top to bottom, >= 1
  int columns = 0;  ///< units from left to right, >= 1
  int group = 8;    ///< rows of a band in Order::grouped

  /// Number of units.
  GPUGAUGE_HOST_DEVICE constexpr int units() const { return rows * columns; }

  /// Unit number `index` in that order, 0 <= index < units().
  template <Order order>
  GPUGAUGE_HOST_DEVICE constexpr Tile unit(int index) const {
    if constexpr (order == Order::row_major) return Tile{index / columns, index % columns};
    return TileOrder{rows, columns, group}.tile(index);
  }
};

/// The schedule of a product of m x n.
constexpr Schedule schedule_of(int m, int n, int tile_m, int tile_n, int cluster, int group) {
  const int tile_rows = (m - 1) / tile_m + 1;
  return Schedule{(tile_rows - 1) / cluster + 1, (n - 1) / tile_n + 1, group};
}

}  // namespace gpugauge::kernels::gemm
