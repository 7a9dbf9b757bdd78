// Fills device buffers and sums them up. All run on `stream`, return the launch's error, and take any element
// count; a count of 0 does nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels {

/// data[i] = uniform(seed, i), see uniform.hpp.
cudaError_t fill_uniform(float* data, std::size_t count, std::uint64_t seed, cudaStream_t stream);
cudaError_t fill_uniform(Bf16* data, std::size_t count, std::uint64_t seed, cudaStream_t stream);
cudaError_t fill_uniform(Fp16* data, std::size_t count, std::uint64_t seed, cudaStream_t stream);
cudaError_t fill_uniform(E4m3* data, std::size_t count, std::uint64_t seed, cudaStream_t stream);

/// Sets every byte to 0xff: a NaN in fp64, fp32, fp16, bf16 and e4m3, so that elements a kernel forgets to
/// write are found.
cudaError_t poison(void* data, std::size_t bytes, cudaStream_t stream);

/// *sum (device, 8-byte aligned) = the checksum of uniform.hpp over `bytes` bytes, read as 32-bit words, the
/// last one padded with zero bytes. This call clears *sum first. The result does not depend on the grid.
/// @pre data is 4-byte aligned
cudaError_t checksum(const void* data, std::size_t bytes, unsigned long long* sum, cudaStream_t stream);

}  // namespace gpugauge::kernels
