// In which order persistent blocks take the tiles of a product. Usable on the host, so that it is tested
// without a GPU.
#pragma once

#include "kernels/gemm/tiling.hpp"
#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::gemm {

namespace detail {

/// A stretch of tiles along one axis or the other: of a Hilbert curve's sides one of x and y is 0.
struct Step {
  /// Columns, + is to the right.
  int x = 0;
  /// Rows, + is downwards.
  int y = 0;
  /// Tiles, whatever the direction.
  GPUGAUGE_HOST_DEVICE constexpr int length() const { return x + y < 0 ? -(x + y) : x + y; }
  /// One tile in its direction.
  GPUGAUGE_HOST_DEVICE constexpr Step unit() const { return Step{(x > 0) - (x < 0), (y > 0) - (y < 0)}; }
  /// Half of it, rounded towards none.
  GPUGAUGE_HOST_DEVICE constexpr Step half() const { return Step{x / 2, y / 2}; }
  /// One after the other.
  GPUGAUGE_HOST_DEVICE constexpr Step operator+(Step by) const { return Step{x + by.x, y + by.y}; }
  /// What is left without `by`.
  GPUGAUGE_HOST_DEVICE constexpr Step operator-(Step by) const { return Step{x - by.x, y - by.y}; }
  /// Back again.
  GPUGAUGE_HOST_DEVICE constexpr Step operator-() const { return Step{-x, -y}; }
  /// So many of it.
  GPUGAUGE_HOST_DEVICE constexpr Step operator*(int by) const { return Step{x * by, y * by}; }
};

}  // namespace detail

/// Place number `index` on a Hilbert curve over any rectangle (the generalised curve of J. Cerveny: a
/// rectangle is split into two along its longer side, or into three that the curve passes up, along and
/// down). Every stretch of the curve covers a compact patch, so that the tiles in work at one time share rows
/// of A and columns of B whatever the cache's size.
/// @pre 0 <= index < rows * columns
GPUGAUGE_HOST_DEVICE constexpr Tile hilbert_tile(int index, int rows, int columns) {
  using detail::Step;
  Step at{};
  // `along` is the side that the curve ends at, `across` the other one.
  Step along = columns >= rows ? Step{columns, 0} : Step{0, rows};
  Step across = columns >= rows ? Step{0, rows} : Step{columns, 0};
  while (along.length() > 1 && across.length() > 1) {
    const int width = along.length();
    const int height = across.length();
    if (2 * width > 3 * height) {
      Step first = along.half();
      if (first.length() % 2 != 0 && width > 2) first = first + along.unit();
      const int places = first.length() * height;
      if (index < places) {
        along = first;
      } else {
        index -= places;
        at = at + first;
        along = along - first;
      }
      continue;
    }
    const Step left = along.half();
    Step lower = across.half();
    if (lower.length() % 2 != 0 && height > 2) lower = lower + across.unit();
    const int up = lower.length() * left.length();
    const int over = width * (height - lower.length());
    if (index < up) {
      along = lower;
      across = left;
    } else if (index < up + over) {
      index -= up;
      at = at + lower;
      across = across - lower;
    } else {
      index -= up + over;
      at = at + (along - along.unit()) + (lower - across.unit());
      across = -(along - left);
      along = -lower;
    }
  }
  at = at + (across.length() == 1 ? along.unit() : across.unit()) * index;
  return Tile{at.y, at.x};
}

/// In which order blocks take the tiles.
enum class Order {
  row_major,  ///< row after row of tiles
  grouped,    ///< bands of rows, column by column (TileOrder)
  hilbert,    ///< along a Hilbert curve
};

/// The tiles of a product in units of `cluster` tiles, one below the other, one for each block of a cluster.
/// Where the tile rows are no multiple of it, the last units hold tiles that lie outside of the matrix.
struct Schedule {
  int rows = 0;     ///< units from top to bottom, >= 1
  int columns = 0;  ///< units from left to right, >= 1
  int group = 8;    ///< rows of a band in Order::grouped

  /// Of them all.
  GPUGAUGE_HOST_DEVICE constexpr int units() const { return rows * columns; }

  /// Unit number `index` in that order, 0 <= index < units().
  template <Order order>
  GPUGAUGE_HOST_DEVICE constexpr Tile unit(int index) const {
    if constexpr (order == Order::row_major) return Tile{index / columns, index % columns};
    if constexpr (order == Order::grouped) return TileOrder{rows, columns, group}.tile(index);
    return hilbert_tile(index, rows, columns);
  }
};

/// The schedule of a product of m x n.
constexpr Schedule schedule_of(int m, int n, int tile_m, int tile_n, int cluster, int group) {
  const int tile_rows = (m - 1) / tile_m + 1;
  return Schedule{(tile_rows - 1) / cluster + 1, (n - 1) / tile_n + 1, group};
}

}  // namespace gpugauge::kernels::gemm
