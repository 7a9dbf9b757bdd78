// The device code of attention.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/primitive/attention.hpp"
#include "kernels/primitive/attention_rows.cuh"

namespace gpugauge::kernels::primitive::attention_tile {

// Block b computes query tile tiles - 1 - b % tiles of head b / tiles, so that causal blocks with the most
// keys begin first. `scale` is log2(e) / sqrt(HeadDim).
template <int HeadDim, bool Causal>
__global__ void __launch_bounds__(threads, blocks_per_sm)
    attention_kernel(const Bf16* __restrict__ q, const Bf16* __restrict__ k, const Bf16* __restrict__ v,
                     Bf16* __restrict__ o, int length, int tiles, float scale) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const std::size_t head = static_cast<std::size_t>(blockIdx.x / static_cast<unsigned>(tiles)) *
                           static_cast<std::size_t>(length) * HeadDim;
  const int first_row = (tiles - 1 - static_cast<int>(blockIdx.x) % tiles) * query_rows;
  const int own_row = static_cast<int>(threadIdx.x) / 32 * warp_rows;  // first row of this warp in the block
  const int warp_row = first_row + own_row;
  const int end = Causal && first_row + query_rows < length ? first_row + query_rows : length;
  constexpr int keys = key_rows<HeadDim>;  // of a tile
  const int key_tiles = (end + keys - 1) / keys;
  const std::uint32_t queries = ptx::dynamic_shared();
  const auto stage = [queries](int tile) {
    return queries + query_bytes<HeadDim> + tile % 2 * 2 * tile_bytes<HeadDim>;
  };
  const auto fill = [&](int tile) {
    copy_rows<HeadDim, keys>(stage(tile), k + head, tile * keys, length);
    copy_rows<HeadDim, keys>(stage(tile) + tile_bytes<HeadDim>, v + head, tile * keys, length);
    ptx::copy_async_commit();
  };

  copy_rows<HeadDim, query_rows>(queries, q + head, first_row, length);
  fill(0);
  Rows<HeadDim> rows(own_row);
  for (int tile = 0; tile < key_tiles; ++tile) {
    ptx::copy_async_wait<0>();
    __syncthreads();  // all have this tile, and none still reads the other stage
    if (tile + 1 < key_tiles) fill(tile + 1);
    const int first_key = tile * keys;
    if (Causal && first_key >= warp_row + warp_rows) continue;  // after all of the warp's rows
    rows.score(queries, stage(tile));
    const int end_key = first_key + keys;
    if (end_key > length || (Causal && end_key > warp_row))
      rows.template mask<Causal>(warp_row, first_key, length);
    rows.weigh(scale);
    rows.add_values(stage(tile) + tile_bytes<HeadDim>);
  }
  rows.store(o + head, warp_row, length);
#endif
}

}  // namespace gpugauge::kernels::primitive::attention_tile
