// Asynchronous copies of boxes between global and shared memory by the Tensor Memory Accelerator of sm_90.
// Coordinates count elements: `column` along a row of the matrix, `row` down. What lies outside of the matrix
// is read as zeros and not written.
#pragma once

#include <cstdint>

#include <cuda.h>

#include "kernels/support/bulk.cuh"
#include "kernels/support/ptx.cuh"

namespace gpugauge::kernels::sm90 {

/// What TMA knows of a matrix; a kernel takes it as `const __grid_constant__`. tensor_map.hpp makes one.
using TensorMap = CUtensorMap;

/// Brings the map itself near, ahead of its first use.
__device__ __forceinline__ void prefetch(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];\n" ::"l"(&map) : "memory");
}

/// Starts reading the box at (column, row) into `to`. Its bytes, those outside of the matrix included, count
/// toward the phase of `barrier`.
__device__ __forceinline__ void load_box(std::uint32_t to, const TensorMap& map, int column, int row,
                                         std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];\n" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(barrier)
      : "memory");
}

/// The same into every block of the cluster that `blocks` has a bit for: the box comes to the same place, and
/// counts toward the barrier at the same place, in each of them.
__device__ __forceinline__ void load_box_multicast(std::uint32_t to, const TensorMap& map, int column,
                                                   int row, std::uint32_t barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;\n" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(barrier), "h"(blocks)
      : "memory");
}

/// Starts writing the box at `from` to (column, row), and closes this thread's group of stores. What ordinary
/// stores wrote there is fenced first, as bulk.cuh says; there is also what waits for the group.
__device__ __forceinline__ void store_box(const TensorMap& map, int column, int row, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
      "cp.async.bulk.commit_group;\n" ::"l"(&map),
      "r"(column), "r"(row), "r"(from)
      : "memory");
}

/// Stores four 8x8 matrices of 16-bit elements. Lane l gives the address of row l%8 of matrix l/8, and holds
/// elements 2(l%4) and 2(l%4)+1 of row l/4 of each matrix.
__device__ __forceinline__ void store_matrices(std::uint32_t row, const std::uint32_t (&from)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(row), "r"(from[0]),
               "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}

}  // namespace gpugauge::kernels::sm90
