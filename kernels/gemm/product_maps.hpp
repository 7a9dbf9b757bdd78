// What a product needs of its matrices to read them by TMA.
#pragma once

#include <cstdint>

#include "kernels/gemm/layout.hpp"
#include "kernels/gemm/tensor_map_encode.hpp"
#include "kernels/support/bf16.hpp"

namespace gpugauge::kernels::gemm {

/// The tensor maps of the three matrices.
struct ProductMaps {
  CUtensorMap a;  ///< in boxes of a tile's rows
  CUtensorMap b;  ///< in boxes of 64 rows, transposed or not (b_is_transposed)
  CUtensorMap c;  ///< in boxes of 64 rows

  /// Checks sizes and alignment, and that the GPU `has_instruction`, and encodes the maps.
  template <typename In>
  cudaError_t make(const In* from_a, const In* from_b, Bf16* to_c, int m, int n, int k, int tile_m,
                   bool has_instruction) {
    constexpr int largest = 1 << 30;  // keeps coordinates of edge tiles from overflowing
    if (m < 1 || n < 1 || k < 1 || m > largest || n > largest || k > largest || n % 8 != 0)
      return cudaErrorInvalidValue;
    constexpr int element = sizeof(In);
    const bool transposed = b_is_transposed<In>;
    const BoxedMatrix box_a{from_a, element, m, k, tile_m};
    const BoxedMatrix box_b{from_b, element, transposed ? n : k, transposed ? k : n, 64};
    const BoxedMatrix box_c{to_c, static_cast<int>(sizeof(Bf16)), m, n, 64};
    const auto together = reinterpret_cast<std::uintptr_t>(from_a) |
                          reinterpret_cast<std::uintptr_t>(from_b) | reinterpret_cast<std::uintptr_t>(to_c);
    if (together % 16 != 0 || !can_be_boxed(box_a) || !can_be_boxed(box_b)) return cudaErrorInvalidValue;
    if (!has_instruction) return cudaErrorNoKernelImageForDevice;
    if (const cudaError_t status = encode(box_a, &a); status != cudaSuccess) return status;
    if (const cudaError_t status = encode(box_b, &b); status != cudaSuccess) return status;
    return encode(box_c, &c);
  }
};

}  // namespace gpugauge::kernels::gemm
