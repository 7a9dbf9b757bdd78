// Stores accumulators of 16x8 mma tiles as full 32-byte sectors, in fp32, bf16 or fp16.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/support/bf16.hpp"
#include "kernels/support/ptx.cuh"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels {

/// Stores one row of two adjacent 16x8 tiles; this lane holds columns 2q and 2q+1 of each (q = lane%4). `to`:
/// the row at the first tile's first column. nullptr means that the row does not exist, but all lanes of the
/// warp must still call. `left` and `right`: whether each tile lies inside the matrix.
__device__ __forceinline__ void store_row_pair(float* to, const float (&first)[2], const float (&second)[2],
                                               bool left, bool right) {
  if (to == nullptr) return;
  const int q = static_cast<int>(threadIdx.x) % 4;
  if (left) *reinterpret_cast<float2*>(to + 2 * q) = make_float2(first[0], first[1]);
  if (right) *reinterpret_cast<float2*>(to + 8 + 2 * q) = make_float2(second[0], second[1]);
}

/// For 16-bit types a lane's two columns are 4 bytes per tile (`mine_first`, `mine_second`). Neighbours
/// exchange, so that even lanes hold four columns of the first tile and odd lanes four of the second. Four
/// lanes then store 32 consecutive bytes.
template <typename Half>
__device__ __forceinline__ void store_packed_pair(Half* to, std::uint32_t mine_first,
                                                  std::uint32_t mine_second, bool left, bool right) {
  const int q = static_cast<int>(threadIdx.x) % 4;
  const bool odd = q % 2 != 0;
  const std::uint32_t given = __shfl_xor_sync(0xffffffffU, odd ? mine_first : mine_second, 1);
  const uint2 four = odd ? make_uint2(given, mine_second) : make_uint2(mine_first, given);
  if (to == nullptr || !(odd ? right : left)) return;
  *reinterpret_cast<uint2*>(to + (odd ? 8 : 0) + q / 2 * 4) = four;
}
__device__ __forceinline__ void store_row_pair(Bf16* to, const float (&first)[2], const float (&second)[2],
                                               bool left, bool right) {
  store_packed_pair(to, ptx::pack_bf16(first[0], first[1]), ptx::pack_bf16(second[0], second[1]), left,
                    right);
}
__device__ __forceinline__ void store_row_pair(Fp16* to, const float (&first)[2], const float (&second)[2],
                                               bool left, bool right) {
  store_packed_pair(to, ptx::pack_fp16(first[0], first[1]), ptx::pack_fp16(second[0], second[1]), left,
                    right);
}

}  // namespace gpugauge::kernels
