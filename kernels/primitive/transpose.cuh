// The device code of transpose.hpp.
#pragma once

#include <cstddef>

#include "kernels/primitive/transpose.hpp"

namespace gpugauge::kernels::primitive {

// A block moves one tile through shared memory. Rows there are padded by one word to avoid bank conflicts in
// columns. Blocks are numbered along the rows of the target, so that neighbours complete its lines together.
template <int Width>
__global__ void __launch_bounds__(transpose_threads)
    transpose_kernel(const float* __restrict__ from, float* __restrict__ to, int rows, int columns,
                     int row_tiles) {
  __shared__ float tile[transpose_tile_rows][transpose_tile_columns + 1];
  const int row0 = static_cast<int>(blockIdx.x) % row_tiles * transpose_tile_rows;
  const int column0 = static_cast<int>(blockIdx.x) / row_tiles * transpose_tile_columns;
  {
    constexpr int a_row = transpose_tile_columns / Width;
    constexpr int rows_at_once = transpose_threads / a_row;
    const int place = static_cast<int>(threadIdx.x) % a_row * Width;
#pragma unroll
    for (int part = 0; part < transpose_tile_rows / rows_at_once; ++part) {
      const int row = part * rows_at_once + static_cast<int>(threadIdx.x) / a_row;
      if (row0 + row >= rows || column0 + place >= columns) continue;
      const float* const source = from + static_cast<std::size_t>(row0 + row) * columns + column0 + place;
      if constexpr (Width == 4) {
        const float4 values = *reinterpret_cast<const float4*>(source);
        tile[row][place] = values.x;
        tile[row][place + 1] = values.y;
        tile[row][place + 2] = values.z;
        tile[row][place + 3] = values.w;
      } else {
        tile[row][place] = *source;
      }
    }
  }
  __syncthreads();
  constexpr int a_column = transpose_tile_rows / Width;
  constexpr int columns_at_once = transpose_threads / a_column;
  const int place = static_cast<int>(threadIdx.x) % a_column * Width;
#pragma unroll
  for (int part = 0; part < transpose_tile_columns / columns_at_once; ++part) {
    const int column = part * columns_at_once + static_cast<int>(threadIdx.x) / a_column;
    if (column0 + column >= columns || row0 + place >= rows) continue;
    float* const target = to + static_cast<std::size_t>(column0 + column) * rows + row0 + place;
    if constexpr (Width == 4)
      *reinterpret_cast<float4*>(target) = make_float4(tile[place][column], tile[place + 1][column],
                                                       tile[place + 2][column], tile[place + 3][column]);
    else
      *target = tile[place][column];
  }
}

}  // namespace gpugauge::kernels::primitive
