// The device code of tcgen05.hpp.
#pragma once

#include <cstdint>

#include "kernels/gemm/scheduler.hpp"
#include "kernels/gemm/wgmma_stage.cuh"
#include "kernels/support/grid.hpp"
#include "kernels/support/ring.hpp"
#include "kernels/support/tcgen05.cuh"

namespace gpugauge::kernels::gemm {

/// The ring of stages, as the wgmma products have it, and two halves of Tensor Memory with the sums of a tile each.
/// The blocks of a cluster (1 or 2) have tiles above each other, and read equal shares of their columns of B, for
/// all of them.
template <typename In, int Cluster>
struct Tcgen05Ring {
  static constexpr int tile_m = 128;
  static constexpr int tile_n = 256;
  using Stage = gemm::Stage<In, tile_m, tile_n>;
  static constexpr std::uint32_t stages = 4;
  // Warp 0 copies, 1 multiplies, 2 holds Tensor Memory, 4 to 7 store: a warp w can read lanes 32 (w % 4) and on.
  static constexpr int threads = 256;
  static constexpr int first_storing_warp = 4;
  static constexpr std::uint32_t columns = 2 * tile_n;  // all of Tensor Memory

  static constexpr sm100::Kind kind = sizeof(In) == 1 ? sm100::Kind::f8f6f4 : sm100::Kind::f16;
  static constexpr std::uint32_t instruction =
      sm100::instruction_descriptor(kind, sizeof(In) == 1 ? sm100::e4m3_of_f8f6f4 : sm100::bf16_of_f16,
                                    tile_m, tile_n, !b_is_transposed<In>);

  // Shared memory: the stages; the mbarriers full[stages], empty[stages], and of each half summed[2] and
  // stored[2]; the address of Tensor Memory.
  static constexpr int barriers_at = static_cast<int>(stages) * Stage::bytes;
  static constexpr int shared_bytes = barriers_at + static_cast<int>(stages) * 16 + 4 * 8 + 8 + 1023;
  static_assert(shared_bytes <= 227 * 1024 && shared_bytes > 114 * 1024,
                "one block an SM, as Tensor Memory allows");
  static_assert(Stage::b_boxes % Cluster == 0, "the blocks of a cluster read equal shares of B");

  std::uint32_t base;  // start of shared memory
  __device__ __forceinline__ std::uint32_t stage(std::uint32_t slot) const {
    return base + slot * Stage::bytes;
  }
  __device__ __forceinline__ std::uint32_t full(std::uint32_t slot) const {
    return base + barriers_at + slot * 8;
  }
  __device__ __forceinline__ std::uint32_t empty(std::uint32_t slot) const { return full(stages + slot); }
  __device__ __forceinline__ std::uint32_t summed(std::uint32_t half) const {
    return full(2 * stages + half);
  }
  __device__ __forceinline__ std::uint32_t stored(std::uint32_t half) const {
    return full(2 * stages + 2 + half);
  }
  __device__ __forceinline__ std::uint32_t tensor_memory() const { return full(2 * stages + 4); }

  __device__ __forceinline__ void make_barriers() const {
    for (std::uint32_t slot = 0; slot < stages; ++slot) {
      sm90::barrier_init(full(slot), 1);
      sm90::barrier_init(empty(slot), Cluster);
    }
    for (std::uint32_t half = 0; half < 2; ++half) {
      sm90::barrier_init(summed(half), 1);
      sm90::barrier_init(stored(half), 4);  // warps
    }
    sm90::barrier_init_fence();
  }

  // This block's place in its cluster, the cluster's first unit, and the distance to its next one.
  static __device__ __forceinline__ int rank() {
    return Cluster == 1 ? 0 : static_cast<int>(sm90::cluster_rank());
  }
  static __device__ __forceinline__ int first_unit() { return static_cast<int>(blockIdx.x) / Cluster; }
  static __device__ __forceinline__ int unit_stride() { return static_cast<int>(gridDim.x) / Cluster; }
  static __device__ __forceinline__ int first_row(const Tile& tile) {
    return (tile.row * Cluster + rank()) * tile_m;
  }

  // Called by one thread.
  __device__ __forceinline__ void copy(const sm90::TensorMap& a, const sm90::TensorMap& b, int k_tiles,
                                       const Schedule& schedule) const {
    constexpr int share = Stage::b_boxes / Cluster;
    RingPosition at;
    for (int unit = first_unit(); unit < schedule.units(); unit += unit_stride()) {
      const Tile tile = schedule.unit<Order::grouped>(unit);
      for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
        sm90::barrier_wait(empty(at.slot), at.empty_parity());
        // All bytes of the stage: those of A, and of B from every block.
        sm90::barrier_arrive_expecting(full(at.slot), Stage::bytes);
        const int k = k_tile * Stage::tile_k;
        Stage::load_a(stage(at.slot), a, first_row(tile), k, full(at.slot));
#pragma unroll
        for (int box = 0; box < share; ++box)
          Stage::template load_b<Cluster>(stage(at.slot), b, rank() * share + box, tile.column * tile_n, k,
                                          full(at.slot));
        at.advance(stages);
      }
    }
    // Shared memory may not go before the last arrivals at its barriers.
    for (std::uint32_t slot = 0; slot < stages; ++slot) {
      sm90::barrier_wait(empty(at.slot), at.empty_parity());
      at.advance(stages);
    }
  }

  // Called by one thread.
  __device__ __forceinline__ void multiply(std::uint32_t sums, int k_tiles, const Schedule& schedule) const {
    RingPosition at;
    RingPosition half;
    for (int unit = first_unit(); unit < schedule.units(); unit += unit_stride()) {
      sm90::barrier_wait(stored(half.slot), half.empty_parity());
      for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
        sm90::barrier_wait(full(at.slot), at.full_parity());
        sm100::fence_after_barrier();
        const std::uint32_t from = stage(at.slot);
        const std::uint64_t a =
            sm100::operand_descriptor(sm100::Swizzle::bytes_128, from, 0, swizzle_rows * row_bytes);
        const std::uint64_t b =
            sm100::operand_descriptor(sm100::Swizzle::bytes_128, from + Stage::a_bytes,
                                      b_is_transposed<In> ? 0 : Stage::b_box_bytes, swizzle_rows * row_bytes);
#pragma unroll
        for (std::uint32_t step = 0; step < Stage::steps; ++step) {
          // Along k, B advances within its rows if they run along k, otherwise by 16 rows.
          const std::uint32_t b_on = b_is_transposed<In> ? step * 32 : step * 16 * row_bytes;
          sm100::multiply<kind>(sums + half.slot * tile_n, advanced(a, step * 32), advanced(b, b_on),
                                instruction, k_tile > 0 || step > 0);
        }
        // Every block's producer writes here, and this block's into every other.
        if constexpr (Cluster == 1)
          sm100::commit(empty(at.slot));
        else
          sm100::commit_in_blocks(empty(at.slot), (1U << Cluster) - 1);
        at.advance(stages);
      }
      sm100::commit(summed(half.slot));
      half.advance(2);
    }
  }

  // Called by the storing warps: each thread stores a row.
  __device__ __forceinline__ void store(Bf16* c, std::uint32_t sums, int m, int n,
                                        const Schedule& schedule) const {
    const int warp = sm90::uniform(static_cast<int>(threadIdx.x) / 32) - first_storing_warp;
    const std::uint32_t lanes = static_cast<std::uint32_t>(warp)
                                << 21;  // 32 each, in the upper half of an address
    RingPosition half;
    for (int unit = first_unit(); unit < schedule.units(); unit += unit_stride()) {
      const Tile tile = schedule.unit<Order::grouped>(unit);
      const int row = first_row(tile) + warp * 32 + static_cast<int>(threadIdx.x) % 32;
      sm90::barrier_wait(summed(half.slot), half.full_parity());
      sm100::fence_after_barrier();
#pragma unroll 1
      for (int column = 0; column < tile_n; column += 32) {
        std::uint32_t bits[32];
        sm100::load_columns(bits, sums + lanes + half.slot * tile_n + static_cast<std::uint32_t>(column));
        const int to_column = tile.column * tile_n + column;
        Bf16* const to = c + static_cast<std::size_t>(row) * n + to_column;
#pragma unroll
        for (int i = 0; i < 32; i += 8)
          if (row < m && to_column + i < n)  // n is a multiple of 8
            *reinterpret_cast<uint4*>(to + i) =
                make_uint4(packed(bits[i], bits[i + 1]), packed(bits[i + 2], bits[i + 3]),
                           packed(bits[i + 4], bits[i + 5]), packed(bits[i + 6], bits[i + 7]));
      }
      sm100::fence_before_barrier();
      __syncwarp();
      if (threadIdx.x % 32 == 0) sm90::barrier_arrive(stored(half.slot));
      half.advance(2);
    }
  }

 private:
  static __device__ __forceinline__ std::uint32_t packed(std::uint32_t first, std::uint32_t second) {
    return ptx::pack_bf16(float_of(first), float_of(second));
  }
};

/// Waits for all threads of the block, or of its cluster.
template <int Cluster>
__device__ __forceinline__ void tcgen05_barrier() {
  sm100::fence_before_barrier();
  if constexpr (Cluster == 1)
    __syncthreads();
  else
    sm90::cluster_barrier();
  sm100::fence_after_barrier();
}

/// The work of one thread of tcgen05_kernel.
template <typename In, int Cluster>
__device__ __forceinline__ void run_tcgen05(const sm90::TensorMap& map_a, const sm90::TensorMap& map_b,
                                            Bf16* c, int m, int n, int k_tiles, const Schedule& schedule) {
  using R = Tcgen05Ring<In, Cluster>;
  const R ring{sm90::shared_base()};
  const int warp = sm90::uniform(static_cast<int>(threadIdx.x) / 32);
  if (threadIdx.x == 0) ring.make_barriers();
  if (warp == 2) sm100::take_tensor_memory(ring.tensor_memory(), R::columns);
  // No block may copy to or arrive at another one before that has made its barriers.
  tcgen05_barrier<Cluster>();
  const std::uint32_t sums = sm100::taken_tensor_memory(ring.tensor_memory());
  if (warp == 0) {
    if (sm100::elect()) ring.copy(map_a, map_b, k_tiles, schedule);
  } else if (warp == 1) {
    if (sm100::elect()) ring.multiply(sums, k_tiles, schedule);
  } else if (warp >= R::first_storing_warp) {
    ring.store(c, sums, m, n, schedule);
  }
  __syncwarp();
  // Nor may shared memory go while another block still copies to it or arrives there.
  tcgen05_barrier<Cluster>();
  if (warp == 2) sm100::give_tensor_memory(sums, R::columns);
}

/// C (m x n, bf16) = A B. Launch clusters of `Cluster` blocks, with Tcgen05Ring::threads threads and
/// Tcgen05Ring::shared_bytes bytes per block. Any number of clusters divides the schedule's units.
template <typename In, int Cluster>
__global__ void __launch_bounds__(GPUGAUGE_HAS_TCGEN05 ? Tcgen05Ring<In, Cluster>::threads
                                                       : without_instructions,
                                  1) tcgen05_kernel(const __grid_constant__ sm90::TensorMap map_a,
                                                    const __grid_constant__ sm90::TensorMap map_b, Bf16* c,
                                                    int m, int n, int k_tiles, const Schedule schedule) {
#if GPUGAUGE_HAS_TCGEN05
  run_tcgen05<In, Cluster>(map_a, map_b, c, m, n, k_tiles, schedule);
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace gpugauge::kernels::gemm
