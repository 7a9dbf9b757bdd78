// The exclusive prefix sum of 32-bit integers in one pass: every element read once and written once.
// Decoupled look-back (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back",
// NVIDIA technical report NVR-2016-002).
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"

namespace gpugauge::kernels::primitive {

inline constexpr int scan_threads = 256;
inline constexpr int scan_vectors = 16;  ///< of 4 elements a thread
inline constexpr int scan_tile = scan_threads * scan_vectors * 4;

/// 8-byte words of scratch that a scan of `count` elements needs: a ticket, and a state per tile.
constexpr std::size_t scan_scratch(std::size_t count) {
  return 1 + (count + scan_tile - 1) / scan_tile;
}

/// to[i] = sum modulo 2^32 of from[j], j < i. cudaErrorInvalidValue unless both are 16-byte aligned; they may
/// be the same array. `scratch` holds scan_scratch(count) words; this call clears them. A count of 0 is
/// allowed. Work: count * 4 bytes read and as many written.
cudaError_t exclusive_scan(const std::uint32_t* from, std::uint32_t* to, std::size_t count,
                           unsigned long long* scratch, cudaStream_t stream);

/// *found (device): counts as wrong the indices where `to` is not an exclusive prefix sum of `from`: to[0] !=
/// 0, or to[i] != to[i - 1] + from[i - 1]. If none is wrong, every element is right.
cudaError_t count_scan_mismatches(const std::uint32_t* from, const std::uint32_t* to, std::size_t count,
                                  Comparison* found, cudaStream_t stream);

/// The check for an inclusive prefix sum: to[0] != from[0], or to[i] != to[i - 1] + from[i].
cudaError_t count_inclusive_scan_mismatches(const std::uint32_t* from, const std::uint32_t* to,
                                            std::size_t count, Comparison* found, cudaStream_t stream);

}  // namespace gpugauge::kernels::primitive
