// Streaming over device memory by bulk copies (TMA) through shared memory, on compute capability 9.0 and
// later. These are the operations of stream.hpp on fp32 arrays of any element count, with the same results.
// bulk_copy() and bulk_write() bypass the registers; the others compute on pieces in shared memory.
//
// All pointers must be 16-byte aligned, else cudaErrorInvalidValue. A count of 0 is allowed.
// cudaErrorNotSupported below 9.0. Arrays must not overlap. Work as in stream.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::memory {

/// Piece size of bulk_copy() and the others that read and write. A block has one piece of each array and ends
/// when the piece has left the SM. So concurrent accesses lie close together in device memory. With pieces of
/// 16 KiB, an H100 moved data 5% faster this way than with persistent blocks. On an H200, copies with 2 KiB
/// pieces are 4.7% faster than with 16 KiB.
inline constexpr std::uint32_t bulk_piece_bytes = 2 * 1024;

/// Threads per block of these kernels: one per 16 bytes of a piece, or one warp where nothing is computed.
constexpr int bulk_map_threads(bool computes) {
  return computes ? static_cast<int>(bulk_piece_bytes / 16) : 32;
}

/// Blocks of these kernels for arrays of `count` elements, at least one.
constexpr std::size_t bulk_map_blocks(std::size_t count) {
  const std::size_t vectors = count / 4;
  constexpr std::size_t each = bulk_piece_bytes / 16;
  return vectors <= each ? 1 : (vectors - 1) / each + 1;
}

/// bulk_read() and bulk_write(): threads of the warp whose first thread moves the pieces; threads of the
/// warps that add them up (bulk_read() only); persistent blocks per SM, the most where not as many fit.
inline constexpr int bulk_mover_threads = 32;
inline constexpr int bulk_workers = 128;
inline constexpr int bulk_blocks_per_sm = 2;

/// Their ring in shared memory: number of stages, and bytes per stage.
inline constexpr std::uint32_t bulk_stages = 6;
inline constexpr std::uint32_t bulk_stage_bytes = 16 * 1024;

/// Bytes of shared memory of bulk_read(): the ring and two mbarriers per stage.
inline constexpr std::uint32_t bulk_ring_bytes = bulk_stages * bulk_stage_bytes + bulk_stages * 16;

/// Blocks of bulk_read() that stay on an SM with this much shared memory, 0 = unknown: two on 9.0 and 10.0
/// (228 KiB), one on 12.0 (100 KiB), where a second one would begin when the first has ended. The driver keeps
/// 1 KiB per block.
constexpr int bulk_reading_blocks(int shared_bytes_of_sm) {
  const int fit = shared_bytes_of_sm / static_cast<int>(bulk_ring_bytes + 1024);
  if (shared_bytes_of_sm <= 0 || fit >= bulk_blocks_per_sm) return bulk_blocks_per_sm;
  return fit < 1 ? 1 : fit;
}
/// The same for the current device.
int bulk_reading_blocks_here();

/// The pieces of arrays of `count` elements that one of `blocks` blocks moves: every blocks-th, starting at
/// its own number. A piece is identified by its byte offset: first, first + step, ... below `bytes`. Up to
/// three elements after the last whole 16 bytes belong to no piece.
struct BulkShare {
  std::size_t bytes;          ///< bytes of each array in pieces: a multiple of 16
  std::uint32_t piece_bytes;  ///< bytes of each array in a whole piece: a multiple of 16
  std::size_t first;          ///< offset of this block's first piece; >= `bytes`: it has none
  std::size_t step;           ///< distance between its pieces

  /// The share of block `block` of `blocks`, in pieces of `piece` bytes, a multiple of 16.
  GPUGAUGE_HOST_DEVICE constexpr BulkShare(std::size_t count, std::uint32_t piece, unsigned block,
                                           unsigned blocks)
      : bytes(count / 4 * 16),
        piece_bytes(piece),
        first(std::size_t{block} * piece),
        step(std::size_t{blocks} * piece) {}
  /// Bytes of the piece at `offset` < bytes. Only the last piece of the arrays has fewer than piece_bytes.
  GPUGAUGE_HOST_DEVICE constexpr std::uint32_t length(std::size_t offset) const {
    const std::size_t left = bytes - offset;
    return left < piece_bytes ? static_cast<std::uint32_t>(left) : piece_bytes;
  }
};

/// Number of partial sums that bulk_read() writes on a GPU of this many SMs, with bulk_reading_blocks() on
/// each: one per working warp.
constexpr std::size_t bulk_read_sums(int sm_count, int blocks_per_sm) {
  return static_cast<std::size_t>(sm_count) * static_cast<std::size_t>(blocks_per_sm) * (bulk_workers / 32);
}

/// Adds up the 32-bit words of `data` as unsigned integers into bulk_read_sums() partial sums, of the blocks that
/// bulk_reading_blocks_here() says. Exact.
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
