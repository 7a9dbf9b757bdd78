// Layout of wgmma operands and results in shared memory and registers, as arithmetic that the host can test.
// Follows the PTX ISA, "Asynchronous warpgroup-level matrix shared memory layout" and "Tensor swizzling
// modes".
#pragma once

#include <cstdint>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::gemm {

/// Whether B is passed as its transpose, n x k row-major. One-byte types need it, because wgmma reads such
/// operands only along k.
template <typename In>
inline constexpr bool b_is_transposed = sizeof(In) == 1;

// Every operand passes through shared memory in boxes: consecutive rows of 128 bytes, aligned to 1024 bytes.
// TMA writes and wgmma reads them with the 128-byte swizzle. It moves 16-byte chunk c of a row to c ^ (row %
// 8), so that eight rows at one chunk lie in different banks.
constexpr int row_bytes = 128;
constexpr int chunk_bytes = 16;
constexpr int swizzle_rows = 8;  ///< the pattern repeats every 8 rows, that is every 1024 bytes

/// Offset in bytes from the start of the box of byte `byte` (0 to 127) of row `row`.
GPUGAUGE_HOST_DEVICE constexpr std::uint32_t swizzle_128(int row, int byte) {
  const int chunk = byte / chunk_bytes;
  return static_cast<std::uint32_t>(row * row_bytes + ((chunk ^ (row % swizzle_rows)) * chunk_bytes) +
                                    byte % chunk_bytes);
}

/// The matrix descriptor of an operand in the 128-byte swizzle. `address` is a shared-memory address below
/// 256 KiB. Offsets in bytes, multiples of 16:
/// - K-major: rows run along m or n, bytes along k. `stride` is the distance between groups of eight rows;
///   `leading` is not used.
/// - MN-major (the transpose flag is set): rows run along k, bytes along m or n. `leading` is the distance
///   between groups of 64 two-byte columns, `stride` that between groups of eight k.
/// Bits: 0-13 address / 16, 16-29 leading / 16, 32-45 stride / 16, 49-51 base offset (0: the pattern begins
/// at a multiple of 1024), 62-63 swizzle (1: 128 bytes).
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t descriptor(std::uint32_t address, std::uint32_t leading,
                                                        std::uint32_t stride) {
  return static_cast<std::uint64_t>((address & 0x3ffffU) >> 4) |
         static_cast<std::uint64_t>((leading & 0x3ffffU) >> 4) << 16 |
         static_cast<std::uint64_t>((stride & 0x3ffffU) >> 4) << 32 | std::uint64_t{1} << 62;
}

/// The same operand `bytes` further on. The address is in the lowest bits, and no step leaves shared memory,
/// so nothing carries into the next field. Within the 128 bytes of a K-major row, k advances this way: the
/// swizzle is applied to the resulting address.
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t advanced(std::uint64_t of, std::uint32_t bytes) {
  return of + (bytes >> 4);
}

/// Position of accumulator `index` of thread `thread` (0 to 127 in its warpgroup) in the 64 x N result of
/// wgmma.m64nNkK. Warp w holds rows 16 w to 16 w + 15, in groups of 8 columns, as mma.m16n8 does.
GPUGAUGE_HOST_DEVICE constexpr int accumulator_row(int thread, int index) {
  return thread / 32 * 16 + thread % 32 / 4 + index / 2 % 2 * 8;
}
GPUGAUGE_HOST_DEVICE constexpr int accumulator_column(int thread, int index) {
  return index / 4 * 8 + thread % 4 * 2 + index % 2;
}

}  // namespace gpugauge::kernels::gemm
