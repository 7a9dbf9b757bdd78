// Asynchronous copies of boxes between global and shared memory by the Tensor Memory Accelerator of sm_90.
// Coordinates count elements: `column` along a row of the matrix, `row` down. Elements outside the matrix are
// read as zeros and not written.
#pragma once

#include <cstdint>

#include <cuda.h>

#include "kernels/support/bulk.cuh"
#include "kernels/support/ptx.cuh"

namespace gpugauge::kernels::sm90 {

/// A tensor map; a kernel takes it as `const __grid_constant__`. tensor_map_encode.hpp makes one.
using TensorMap = CUtensorMap;

/// Prefetches the tensor map before its first use.
__device__ __forceinline__ void prefetch(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];\n" ::"l"(&map) : "memory");
}

/// Starts reading the box at (column, row) into `to`. Its bytes, including those outside the matrix, count
/// toward the phase of the mbarrier `barrier`.
__device__ __forceinline__ void load_box(std::uint32_t to, const TensorMap& map, int column, int row,
                                         std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];\n" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(barrier)
      : "memory");
}

/// load_box into every block of the cluster that `blocks` has a bit for. In each block the box goes to the
/// same offset, and counts toward the mbarrier at the same offset.
__device__ __forceinline__ void load_box_multicast(std::uint32_t to, const TensorMap& map, int column,
                                                   int row, std::uint32_t barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;\n" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(barrier), "h"(blocks)
      : "memory");
}

/// Starts writing the box at `from` to (column, row), and closes this thread's bulk group. Ordinary stores to
/// the box must be fenced first (fence_for_asynchronous_reads in bulk.cuh). wait_for_stores_to_read waits for the group.
__device__ __forceinline__ void store_box(const TensorMap& map, int column, int row, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
      "cp.async.bulk.commit_group;\n" ::"l"(&map),
      "r"(column), "r"(row), "r"(from)
      : "memory");
}

/// Stores four 8x8 matrices of 16-bit elements. Lane l passes the address of row l%8 of matrix l/8, and holds
/// elements 2(l%4) and 2(l%4)+1 of row l/4 of each matrix.
__device__ __forceinline__ void store_matrices(std::uint32_t row, const std::uint32_t (&from)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(row), "r"(from[0]),
               "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}

}  // namespace gpugauge::kernels::sm90
