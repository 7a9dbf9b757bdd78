// Describes a matrix to TMA.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/gemm/layout.hpp"

namespace gpugauge::kernels::gemm {

/// A dense row-major matrix and the box in which it passes through shared memory.
struct BoxedMatrix {
  const void* data = nullptr;  ///< 16-byte aligned
  int element_bytes = 0;       ///< 1 or 2
  /// Rows of the matrix, >= 1.
  int rows = 0;
  int columns = 0;   ///< columns of the matrix; a row is a multiple of 16 bytes
  int box_rows = 0;  ///< 1 to 256

  /// Columns of a box. The 128-byte swizzle limits a box row to 128 bytes.
  constexpr int box_columns() const { return row_bytes / element_bytes; }
  /// Shared memory per box.
  constexpr int box_bytes() const { return box_rows * row_bytes; }
  /// Bytes from one row of the matrix to the next.
  constexpr std::int64_t pitch_bytes() const { return std::int64_t{columns} * element_bytes; }
};

/// Whether TMA accepts it: alignment and sizes as above, sizes >= 1.
constexpr bool can_be_boxed(const BoxedMatrix& matrix) {
  return matrix.rows >= 1 && matrix.columns >= 1 && matrix.pitch_bytes() % 16 == 0 && matrix.box_rows >= 1 &&
         matrix.box_rows <= 256 && (matrix.element_bytes == 1 || matrix.element_bytes == 2);
}

}  // namespace gpugauge::kernels::gemm
