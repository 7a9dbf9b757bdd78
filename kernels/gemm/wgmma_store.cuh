// How a finished tile of C leaves a consumer of wgmma_ring.cuh by TMA: at once, or beside the products of the next one.
#pragma once

#include <cstdint>

#include "kernels/gemm/wgmma_pipeline.cuh"

namespace gpugauge::kernels::gemm {

/// One consumer's rows of a finished tile of C, waiting to be stored; none before the first tile. R: a Ring.
template <typename R>
struct Result {
  std::uint32_t pairs[R::tile_n / 4];
  int row = 0;
  int column = 0;
  bool held = false;
};

/// Stores columns 64 Part to 64 Part + 63 through one of the consumer's two boxes.
template <int Part, typename R>
__device__ __forceinline__ void store_part(const R& ring, const sm90::TensorMap& c, const Result<R>& result,
                                           int consumer) {
  const bool leads = threadIdx.x % 128 == 0;
  const std::uint32_t box = ring.base + R::boxes_at + (consumer * 2 + Part % 2) * R::box_bytes;
  if (leads) sm90::wait_for_stores_to_read<1>();  // the store of the other box may still read it
  sm90::named_barrier(consumer + 1, 128);
  write_box<Part>(box, result.pairs);
  sm90::fence_for_asynchronous_reads();
  sm90::named_barrier(consumer + 1, 128);
  if (leads) sm90::store_box(c, result.column + Part * 64, result.row, box);
}

/// Stores the parts from `Part` on.
template <int Part = 0, typename R>
__device__ __forceinline__ void store(const R& ring, const sm90::TensorMap& c, const Result<R>& result,
                                      int consumer) {
  store_part<Part>(ring, c, result, consumer);
  if constexpr (Part + 1 < R::parts) store<Part + 1>(ring, c, result, consumer);
}

/// Runs steps 1 to `parts` of a tile, and stores one part of the previous tile after the start of each. A
/// short k has fewer steps, but all parts are stored.
template <int Part = 0, typename R>
__device__ __forceinline__ void multiply_and_store(const R& ring,
                                                   float (&sums)[R::blocks_each][R::tile_n / 2],
                                                   RingPosition& at, std::uint32_t& last, int consumer,
                                                   int k_tiles, const sm90::TensorMap& c,
                                                   const Result<R>& before) {
  const auto store_this = [&] {
    if (before.held) store_part<Part>(ring, c, before, consumer);
  };
  if (Part + 1 < k_tiles)
    ring.step(sums, at, last, consumer, false, store_this);
  else
    store_this();
  if constexpr (Part + 1 < R::parts)
    multiply_and_store<Part + 1>(ring, sums, at, last, consumer, k_tiles, c, before);
}

}  // namespace gpugauge::kernels::gemm
