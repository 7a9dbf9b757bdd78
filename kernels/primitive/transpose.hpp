// The transpose of an fp32 matrix; each element is read and written once.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"

namespace gpugauge::kernels::primitive {

/// The tile of the source that a block moves, read and written in rows of 256 bytes. It was the fastest of
/// six shapes from 32x256 to 128x128 on an H200.
inline constexpr int transpose_tile_rows = 64;
inline constexpr int transpose_tile_columns = 64;
inline constexpr int transpose_threads = 512;

/// to[c * rows + r] = from[r * columns + c]. cudaErrorInvalidValue unless both are row-major, dense, 16-byte
/// aligned and not overlapping, with rows and columns >= 1. Accesses are 16 bytes wide where rows and columns
/// are multiples of 4. Work: rows * columns * 4 bytes read and as many written.
cudaError_t transpose(const float* from, float* to, int rows, int columns, cudaStream_t stream);

/// *found (device): counts as wrong the elements of `to` that differ from the transpose of
/// fill_uniform(seed), bit for bit.
cudaError_t count_transpose_mismatches(const float* to, int rows, int columns, std::uint64_t seed,
                                       Comparison* found, cudaStream_t stream);

}  // namespace gpugauge::kernels::primitive
