// The device code of scan.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/primitive/scan.hpp"
#include "kernels/support/tile_state.cuh"
#include "kernels/support/vector_once.cuh"

namespace gpugauge::kernels::primitive {

// A tile's state: its status in the upper half, the sum in the lower. Both are read and written in one 8-byte
// access, so that no fence is needed.
constexpr unsigned long long state_aggregate = 1ULL << 32;  // the sum of the tile alone
constexpr unsigned long long state_prefix = 2ULL << 32;  // the sum of all tiles up to and including this one

__device__ __forceinline__ std::uint32_t inclusive_warp_scan(std::uint32_t value) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const std::uint32_t below = __shfl_up_sync(0xffffffffU, value, static_cast<unsigned>(offset));
    if (lane >= offset) value += below;
  }
  return value;
}

// Returns the sum of all tiles before `tile` to every lane of the one calling warp. It looks at 32 tiles at a
// time, nearest first, and waits for those without a state. Their blocks hold earlier tickets, so they are
// running.
__device__ __forceinline__ std::uint32_t look_back(const unsigned long long* states, std::uint32_t tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::uint32_t sum = 0;
  for (std::int64_t nearest = static_cast<std::int64_t>(tile) - 1; nearest >= 0; nearest -= 32) {
    const std::int64_t mine = nearest - lane;
    unsigned long long state = state_prefix;  // before the first tile the prefix is 0
    bool waiting = false;
    do {
      if (mine >= 0) state = load_relaxed(states + mine);
      waiting = (state >> 32) == 0;
    } while (__any_sync(0xffffffffU, waiting));
    const unsigned known = __ballot_sync(0xffffffffU, (state >> 32) == 2);
    // Adds the lanes up to the first with a known prefix. That prefix includes the tiles of later lanes.
    const int first = known == 0 ? 31 : __ffs(static_cast<int>(known)) - 1;
    std::uint32_t part = lane <= first ? static_cast<std::uint32_t>(state) : 0;
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) part += __shfl_xor_sync(0xffffffffU, part, mask);
    sum += part;
    if (known != 0) break;
  }
  return sum;
}

/// Data exchanged between the warps of a block.
struct ScanShared {
  std::uint32_t warp_sums[scan_threads / 32];
  std::uint32_t tile;
  std::uint32_t prefix;  ///< sum of all tiles before
};

// A warp takes scan_vectors consecutive rows of 32 vectors. Whole: the entire tile lies within the array.
// With a bounds check at each row the loads would wait for each other.
template <bool Whole>
__device__ __forceinline__ void scan_one_tile(const std::uint32_t* from, std::uint32_t* to, std::size_t count,
                                              unsigned long long* states, std::uint32_t tile,
                                              ScanShared& shared) {
  constexpr int warps = scan_threads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const std::size_t warp_start =
      static_cast<std::size_t>(tile) * scan_tile + static_cast<std::size_t>(warp) * (scan_vectors * 128);
  const auto place = [&](int row) { return warp_start + row * 128 + lane * 4; };
  uint4 values[scan_vectors];
#pragma unroll
  for (int row = 0; row < scan_vectors; ++row) {
    const std::size_t i = place(row);
    if constexpr (Whole) {
      values[row] = load_vector_once(from + i);
    } else {
      values[row].x = i < count ? from[i] : 0;
      values[row].y = i + 1 < count ? from[i + 1] : 0;
      values[row].z = i + 2 < count ? from[i + 2] : 0;
      values[row].w = i + 3 < count ? from[i + 3] : 0;
    }
  }
  // From here on values[row] holds, for each element, the sum of the preceding elements within the warp.
  std::uint32_t carry = 0;
#pragma unroll
  for (int row = 0; row < scan_vectors; ++row) {
    const uint4 own = values[row];
    const std::uint32_t all = own.x + own.y + own.z + own.w;
    const std::uint32_t inclusive = inclusive_warp_scan(all);
    values[row].x = carry + inclusive - all;
    values[row].y = values[row].x + own.x;
    values[row].z = values[row].y + own.y;
    values[row].w = values[row].z + own.z;
    carry += __shfl_sync(0xffffffffU, inclusive, 31);
  }
  if (lane == 0) shared.warp_sums[warp] = carry;
  __syncthreads();
  std::uint32_t prefix = 0;
  std::uint32_t aggregate = 0;
#pragma unroll
  for (int other = 0; other < warps; ++other) {
    if (other == warp) prefix = aggregate;
    aggregate += shared.warp_sums[other];
  }
  if (warp == 0) {
    std::uint32_t earlier = 0;
    if (tile > 0) {
      if (lane == 0) store_relaxed(states + tile, state_aggregate | aggregate);
      earlier = look_back(states, tile);
    }
    if (lane == 0) {
      store_relaxed(states + tile, state_prefix | static_cast<std::uint32_t>(earlier + aggregate));
      shared.prefix = earlier;
    }
  }
  __syncthreads();
  prefix += shared.prefix;
#pragma unroll
  for (int row = 0; row < scan_vectors; ++row) {
    const std::size_t i = place(row);
    const uint4 sums = make_uint4(values[row].x + prefix, values[row].y + prefix, values[row].z + prefix,
                                  values[row].w + prefix);
    if constexpr (Whole) {
      store_vector_once(to + i, sums);
    } else {
      if (i < count) to[i] = sums.x;
      if (i + 1 < count) to[i + 1] = sums.y;
      if (i + 2 < count) to[i + 2] = sums.z;
      if (i + 3 < count) to[i + 3] = sums.w;
    }
  }
}

// scratch[0] hands out tiles in the order in which blocks begin; scratch + 1 are the states. All must be 0
// before. At least two blocks per SM: while one looks back, the other's accesses are in flight.
static __global__ void __launch_bounds__(scan_threads, 2)
    scan_kernel(const std::uint32_t* from, std::uint32_t* to, std::size_t count,
                unsigned long long* scratch) {
  __shared__ ScanShared shared;
  if (threadIdx.x == 0) shared.tile = static_cast<std::uint32_t>(atomicAdd(scratch, 1ULL));
  __syncthreads();
  const std::uint32_t tile = shared.tile;
  if ((static_cast<std::size_t>(tile) + 1) * scan_tile <= count)
    scan_one_tile<true>(from, to, count, scratch + 1, tile, shared);
  else
    scan_one_tile<false>(from, to, count, scratch + 1, tile, shared);
}

}  // namespace gpugauge::kernels::primitive
