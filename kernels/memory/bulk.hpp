// Streaming over device memory by bulk copies (TMA) through shared memory, on compute capability 9.0 and
// later: the operations of stream.hpp on fp32 arrays of any element count, with the same results. bulk_copy()
// and bulk_write() move data past the registers; the others compute on pieces in shared memory.
//
// All pointers must be 16-byte aligned, else cudaErrorInvalidValue. A count of 0 is allowed.
// cudaErrorNotSupported below 9.0. Arrays must not overlap. Work as in stream.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::memory {

/// Of bulk_copy() and the others that read and write: a block has one piece of each array and ends when it
/// has left the SM: what is under way at one time lies close together in device memory, which an H100 moved
/// 5% faster, in pieces of 16 KiB, than the pieces of blocks that stay. On an H200 pieces of 2 KiB are
/// copied 4.7% faster than those of 16 KiB.
inline constexpr std::uint32_t bulk_piece_bytes = 2 * 1024;

/// Threads of their blocks: one for each 16 bytes of a piece, or, where nothing is computed, one warp.
constexpr int bulk_map_threads(bool computes) {
  return computes ? static_cast<int>(bulk_piece_bytes / 16) : 32;
}

/// Their blocks for arrays of `count` elements, at least one.
constexpr std::size_t bulk_map_blocks(std::size_t count) {
  const std::size_t vectors = count / 4;
  constexpr std::size_t each = bulk_piece_bytes / 16;
  return vectors <= each ? 1 : (vectors - 1) / each + 1;
}

/// Threads of a block of bulk_read() and bulk_write(): one warp whose first thread moves the pieces, and,
/// where they are read, the warps that add them up. Blocks per SM, which stay until all is done.
inline constexpr int bulk_mover_threads = 32;
inline constexpr int bulk_workers = 128;
inline constexpr int bulk_blocks_per_sm = 2;

/// Their ring in shared memory: stages, and the bytes of one.
inline constexpr std::uint32_t bulk_stages = 6;
inline constexpr std::uint32_t bulk_stage_bytes = 16 * 1024;

/// The pieces of arrays of `count` elements that one of `blocks` blocks moves: every blocks-th, from its own
/// number on. A piece is named by where it begins, in bytes: first, first + step, ... below `bytes`. What is
/// left behind the last 16 bytes, up to three elements, belongs to no piece.
struct BulkShare {
  std::size_t bytes;          ///< of each array in pieces: a multiple of 16
  std::uint32_t piece_bytes;  ///< of each array in a whole piece: a multiple of 16
  std::size_t first;          ///< where this block's first piece begins; from `bytes` on it has none
  std::size_t step;           ///< from one of its pieces to the next

  /// Of block `block` of `blocks`, in pieces of `piece` bytes, a multiple of 16.
  GPUGAUGE_HOST_DEVICE constexpr BulkShare(std::size_t count, std::uint32_t piece, unsigned block,
                                           unsigned blocks)
      : bytes(count / 4 * 16),
        piece_bytes(piece),
        first(std::size_t{block} * piece),
        step(std::size_t{blocks} * piece) {}
  /// Bytes of the piece at `offset` < bytes: fewer than piece_bytes at the end of the arrays only.
  GPUGAUGE_HOST_DEVICE constexpr std::uint32_t length(std::size_t offset) const {
    const std::size_t left = bytes - offset;
    return left < piece_bytes ? static_cast<std::uint32_t>(left) : piece_bytes;
  }
};

/// Partial sums that bulk_read() writes on a GPU of this many SMs: one for each working warp.
constexpr std::size_t bulk_read_sums(int sm_count) {
  return static_cast<std::size_t>(sm_count) * bulk_blocks_per_sm * (bulk_workers / 32);
}

/// Adds up the 32-bit words of `data` as unsigned integers into bulk_read_sums() partial sums: exact.
cudaError_t bulk_read(const float* data, std::size_t count, unsigned long long* partial_sums,
                      cudaStream_t stream);

/// to[i] = value.
cudaError_t bulk_write(float value, float* to, std::size_t count, cudaStream_t stream);

/// to[i] = from[i].
cudaError_t bulk_copy(const float* from, float* to, std::size_t count, cudaStream_t stream);

/// to[i] = factor * from[i].
cudaError_t bulk_scale(const float* from, float factor, float* to, std::size_t count, cudaStream_t stream);

/// a[i] = b[i] + c[i].
cudaError_t bulk_add(const float* b, const float* c, float* a, std::size_t count, cudaStream_t stream);

/// a[i] = fma(factor, c[i], b[i]).
cudaError_t bulk_triad(const float* b, const float* c, float factor, float* a, std::size_t count,
                       cudaStream_t stream);

}  // namespace gpugauge::kernels::memory
